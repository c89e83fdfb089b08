"""A PyRIT converter as a converter of payloads."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rampart.converters.conversion import converted, naming, require_text_payload
from rampart.core.errors import InfrastructureError
from rampart.text.oneline import quote
from rampart.text.safe import safe_str

if TYPE_CHECKING:
    from rampart.core.types import Payload

_TEXT = "text"


class PyRITConverterBridge:
    """Converts payloads with a PyRIT converter of text to text.

    The result keeps the payload's id and metadata; `converter` in it is the name of PyRIT's class. PyRIT
    itself is not imported: any object with PyRIT's `convert_async(prompt=..., input_type=...)` will do.

    Args:
        converter: An instance of a `pyrit.converter.Converter`.

    Raises:
        TypeError: If it is no such object.
        ValueError: If it does not take text, or gives none.
    """

    def __init__(self, converter: Any) -> None:
        _require_converter(converter)
        self._converter = converter
        self._name = type(converter).__name__
        for direction in ("INPUT", "OUTPUT"):
            types = getattr(converter, f"SUPPORTED_{direction}_TYPES", None)
            if isinstance(types, tuple | list) and types and _TEXT not in types:
                msg = (
                    f"{self._name} is no converter of text to text: its {direction.lower()} is "
                    f"{', '.join(map(str, types))}"
                )
                raise ValueError(msg)

    async def convert_async(self, *, payload: Payload) -> Payload:
        """A TEXT payload with the same id and metadata, whose content PyRIT has converted.

        Raises:
            ValueError: If the payload is binary, or the converter refuses its content.
            InfrastructureError: If the converter fails, such as one that asks a model, or gives no text.
        """
        require_text_payload(payload, converter=self._name)
        with naming(payload, converter=self._name):
            result = await self._run_async(payload)
        kind, content = getattr(result, "output_type", _TEXT), getattr(result, "output_text", None)
        if kind != _TEXT or not isinstance(content, str):
            msg = f"{self._name} gave {quote(safe_str(kind))} for payload {payload.id!r}, expected text"
            raise InfrastructureError(msg)
        return converted(payload, converter=self._name, content=content)

    async def _run_async(self, payload: Payload) -> Any:
        try:
            return await self._converter.convert_async(prompt=payload.content, input_type=_TEXT)
        except ValueError:
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {quote(safe_str(error))}"
            msg = f"{self._name} failed on payload {payload.id!r}: {text}"
            raise InfrastructureError(msg) from error


def adapt_converter(converter: Any) -> PyRITConverterBridge:
    """Make a PyRIT converter a `PayloadConverter`: the same as `PyRITConverterBridge(converter)`.

    Raises:
        TypeError: If it is no PyRIT converter.
        ValueError: If it does not take text, or gives none.
    """
    return PyRITConverterBridge(converter)


def _require_converter(converter: Any) -> None:
    if isinstance(converter, type):
        msg = f"expected an instance of a PyRIT converter, got the class {converter.__name__}; call it"
        raise TypeError(msg)
    method = getattr(converter, "convert_async", None)
    if not callable(method) or not _takes(method, "prompt"):
        name = type(converter).__name__
        msg = f"expected a PyRIT converter, got {name}, which has no convert_async(prompt=...)"
        raise TypeError(msg)


def _takes(method: Any, name: str) -> bool:
    parameters = inspect.signature(method).parameters
    return name in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
