"""Knowledge of producers, one sub-package each. The tuple below is the list of layouts; it is imported when needed."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runaudit.layouts.base import Layout

# module:class, asked in this order
LAYOUTS: tuple[str, ...] = ("runaudit.layouts.harbor.layout:HarborLayout", "runaudit.layouts.nemo_gym.layout:NemoGym")


def layouts() -> "tuple[Layout, ...]":
    """All layouts, in the order in which they are asked."""
    return tuple(_load(name) for name in LAYOUTS)


def layout_named(name: str) -> "Layout":
    """The layout of that name. Raises KeyError when there is none."""
    return {layout.name: layout for layout in layouts()}[name]


def _load(name: str) -> "Layout":
    module, _, attribute = name.partition(":")
    layout: Layout = getattr(import_module(module), attribute)()
    return layout
