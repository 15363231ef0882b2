# SPDX-License-Identifier: Apache-2.0
"""Turns a jit function into a Python function that computes on numpy-backed tensors.

Triton's own interpreter runs the kernel's Python as it stands and replaces half of `triton.language` while it does.
Python and Triton differ in places: an assigned number is a tensor in Triton, `and` evaluates both sides, a loop's
counter has a type, a jit function calls another. So the source is rewritten the way Triton's compiler reads it
(`triton/compiler/code_generator.py`): every operator, call and condition becomes a call of one of the operations below,
which hand Triton's semantics to the language's builtins explicitly. Nothing of `triton.language` is patched, and
nothing is added to the submission's globals. Whatever the compiler refuses never comes here, so little is checked.
"""

import ast
import builtins
import inspect
import operator
import types

import numpy as np

from .memory import USER_SCOPE
from .number_formats import numpy_dtype
from .reductions import AmbiguousTruth, Semantic
from .semantic import Tensor
from .triton_internals import (
    LIBDEVICE_STUBS,
    BoundConstexprFunction,
    ConstexprFunction,
    JITFunction,
    TensorHandle,
    core,
    cuda_libdevice,
    is_builtin,
    source_file_and_line,
    unwrap_if_constexpr,
)

_BINARY = {
    ast.Add: ("__add__", operator.add),
    ast.Sub: ("__sub__", operator.sub),
    ast.Mult: ("__mul__", operator.mul),
    ast.Div: ("__truediv__", operator.truediv),
    ast.FloorDiv: ("__floordiv__", operator.floordiv),
    ast.Mod: ("__mod__", operator.mod),
    ast.Pow: ("__pow__", operator.pow),
    ast.LShift: ("__lshift__", operator.lshift),
    ast.RShift: ("__rshift__", operator.rshift),
    ast.BitAnd: ("__and__", operator.and_),
    ast.BitOr: ("__or__", operator.or_),
    ast.BitXor: ("__xor__", operator.xor),
    ast.Eq: ("__eq__", operator.eq),
    ast.NotEq: ("__ne__", operator.ne),
    ast.Lt: ("__lt__", operator.lt),
    ast.LtE: ("__le__", operator.le),
    ast.Gt: ("__gt__", operator.gt),
    ast.GtE: ("__ge__", operator.ge),
}
_UNARY = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Not: "__not__", ast.Invert: "__invert__"}
_PREFIX = "_kbx_"


class _Rewriter(ast.NodeTransformer):
    """Each `visit_` mirrors the one of the same name in Triton's CodeGenerator."""

    def _emit(self, node, name, *args, keywords=()):
        function = ast.Name(_PREFIX + name, ast.Load())
        return ast.copy_location(ast.Call(function, list(args), list(keywords)), node)

    def _lazily(self, node):
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.copy_location(ast.Lambda(nothing, self.visit(node)), node)

    def visit_FunctionDef(self, node):
        node.decorator_list, node.returns = [], None
        parameters = node.args
        for parameter in parameters.posonlyargs + parameters.args + parameters.kwonlyargs:
            parameter.annotation = None
        parameters.defaults, parameters.kw_defaults = [], [None] * len(parameters.kwonlyargs)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Assign(self, node):
        node.value = self._emit(node.value, "assigned", self.visit(node.value))
        return node

    def visit_AnnAssign(self, node):
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        stays_constant = ast.unparse(node.annotation).split(".")[-1] == "constexpr"
        value = self._emit(node.value, "constant" if stays_constant else "assigned", self.visit(node.value))
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_AugAssign(self, node):
        old = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
        value = ast.copy_location(ast.BinOp(old, node.op, node.value), node)
        return self.visit(ast.copy_location(ast.Assign([node.target], value), node))

    def visit_BinOp(self, node):
        return self._emit(node, _BINARY[type(node.op)][0], self.visit(node.left), self.visit(node.right))

    def visit_Compare(self, node):
        if len(node.ops) != 1 or type(node.ops[0]) not in (*_BINARY, ast.Is, ast.IsNot):
            return self.generic_visit(node)
        sides = self.visit(node.left), self.visit(node.comparators[0])
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            node.left, node.comparators[0] = (self._emit(node, "constant", side) for side in sides)
            return node
        return self._emit(node, _BINARY[type(node.ops[0])][0], *sides)

    def visit_UnaryOp(self, node):
        if isinstance(node.operand, ast.Constant):
            return node
        return self._emit(node, _UNARY[type(node.op)], self.visit(node.operand))

    def visit_BoolOp(self, node):
        name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        return self._emit(node, name, *(self._lazily(value) for value in node.values))

    def visit_IfExp(self, node):
        return self._emit(
            node, "if_expression", self.visit(node.test), self._lazily(node.body), self._lazily(node.orelse)
        )

    def visit_If(self, node):
        self.generic_visit(node)
        node.test = self._emit(node.test, "truth", node.test)
        return node

    visit_While = visit_If

    def visit_For(self, node):
        counts = node.iter
        node.iter = self._emit(
            counts,
            "count",
            self.visit(counts.func),
            *map(self.visit, counts.args),
            keywords=[self.visit(k) for k in counts.keywords],
        )
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Call(self, node):
        keywords = [self.visit(keyword) for keyword in node.keywords]
        args = [self.visit(arg) for arg in node.args]
        if isinstance(node.func, ast.Attribute):
            name = ast.copy_location(ast.Constant(node.func.attr), node)
            return self._emit(node, "method", self.visit(node.func.value), name, *args, keywords=keywords)
        return self._emit(node, "call", self.visit(node.func), *args, keywords=keywords)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr not in ("T", "value"):
            return node
        return self._emit(node, "attribute", node.value, ast.copy_location(ast.Constant(node.attr), node))

    def visit_Subscript(self, node):
        return self._emit(node, "item", self.visit(node.value), self.visit(node.slice))

    def visit_Slice(self, node):
        parts = [self.visit(p) if p else ast.Constant(None) for p in (node.lower, node.upper, node.step)]
        return self._emit(node, "slice", *parts)

    def visit_Return(self, node):
        if node.value is not None:
            node.value = self._emit(node.value, "returned", self.visit(node.value))
        return node

    def visit_Assert(self, node):
        message = self.visit(node.msg) if node.msg else ast.Constant("")
        call = self._emit(node, "call", self._emit(node, "device_assert"), self.visit(node.test), message)
        return ast.copy_location(ast.Expr(call), node)


def _compile(fn):
    """The rewritten code of a jit function, with the line numbers of its file."""
    tree = _Rewriter().visit(fn.parse())
    ast.fix_missing_locations(tree)
    file_name, first_line = source_file_and_line(fn)
    ast.increment_lineno(tree, first_line - 1)
    module = compile(tree, file_name, "exec")
    return next(constant for constant in module.co_consts if isinstance(constant, types.CodeType))


class Frontend:
    """Runs jit functions. Also the place of every operation that rewritten code calls, under its name with a prefix."""

    def __init__(self, builder):
        self.semantic = Semantic(builder, self.call)
        self._code = {}
        self._functions = {}
        self._implicit = {}
        self._builtins = vars(builtins) | self._operations()
        self._replaced = {
            print: core.device_print,
            min: core.builtin_min,
            max: core.builtin_max,
            core.map_elementwise: self.semantic.map_scalar_function,
            # The compiler printed and checked these when it compiled the kernel.
            core.static_print: _nothing,
            core.static_assert: _nothing,
        }

    def start_launch(self) -> None:
        """Forgets functions whose globals may have changed since they were made; Triton's own stay."""
        self._functions = {key: f for key, f in self._functions.items() if USER_SCOPE not in f.__globals__}

    def function(self, fn):
        """The Python function for a jit function."""
        made = self._functions.get(id(fn))
        if made is None:
            made = self._functions[id(fn)] = self._make(fn)
        return made

    def _make(self, fn):
        kept = self._code.get(id(fn))
        if kept is None or kept[1] != fn.src:
            kept = self._code[id(fn)] = (fn, fn.src, _compile(fn))  # holding fn keeps its id from being used again
        scope = fn.get_capture_scope() | {"__builtins__": self._builtins}
        if not (fn.__module__ or "").startswith("triton.language"):
            scope[USER_SCOPE] = True
        function = types.FunctionType(kept[2], scope, fn.fn.__name__, fn.fn.__defaults__)
        function.__kwdefaults__ = fn.fn.__kwdefaults__
        return function

    def _operations(self):
        operations = {
            name: getattr(self, name)
            for name in (
                "assigned",
                "returned",
                "truth",
                "logical_and",
                "logical_or",
                "if_expression",
                "count",
                "call",
                "method",
                "attribute",
                "item",
            )
        }
        operations |= {method: self._binary(method, python) for method, python in _BINARY.values()}
        operations |= {method: self._unary(method) for method in _UNARY.values()}
        operations |= {"constant": unwrap_if_constexpr, "slice": slice, "device_assert": lambda: core.device_assert}
        return {_PREFIX + name: operation for name, operation in operations.items()}

    def _binary(self, method, python):
        reverse = "__r" + method[2:]
        tensor, semantic = core.tensor, self.semantic

        def apply(left, right):
            if isinstance(left, tensor):
                return getattr(left, method)(right, _semantic=semantic)
            if isinstance(right, tensor):
                return getattr(right, reverse)(left, _semantic=semantic)
            return python(left, right)

        return apply

    def _unary(self, method):
        plain = {
            "__neg__": operator.neg,
            "__pos__": operator.pos,
            "__not__": operator.not_,
            "__invert__": operator.invert,
        }[method]

        def apply(operand):
            if isinstance(operand, core.tensor):
                return getattr(operand, method)(_semantic=self.semantic)
            return plain(unwrap_if_constexpr(operand))

        return apply

    def assigned(self, value):
        """A number becomes a tensor when it is given a name, as in Triton; None, types and functions do not."""
        value = unwrap_if_constexpr(value)
        if isinstance(value, (bool, int, float)):
            return self.semantic.to_tensor(value)
        if isinstance(value, tuple):
            items = map(self.assigned, value)
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if isinstance(value, (core.tuple, list)):
            return tuple(map(self.assigned, value))
        return value

    returned = assigned

    def truth(self, value):
        if not isinstance(value, core.tensor):
            return bool(unwrap_if_constexpr(value))
        data = value.handle.data
        if data.size != 1:
            raise AmbiguousTruth
        return bool(data.reshape(-1)[0])

    def logical_and(self, *sides):
        return self._logical("logical_and", False, sides)

    def logical_or(self, *sides):
        return self._logical("logical_or", True, sides)

    def _logical(self, method, decisive, sides):
        """Constants decide at once; tensors never do, so what stands to their right is evaluated too."""
        tensors = []
        for side in sides:
            value = side()
            if isinstance(value, core.tensor):
                tensors.append(value)
            elif bool(value) is decisive:
                return value
        if not tensors:
            return value
        result = tensors.pop()
        while tensors:
            result = getattr(tensors.pop(), method)(result, _semantic=self.semantic)
        return result

    def if_expression(self, condition, then, otherwise):
        if not isinstance(condition, core.tensor):
            return (then if unwrap_if_constexpr(condition) else otherwise)()
        return self.semantic.to_tensor((then if self.truth(condition) else otherwise)())

    def count(self, counter, *args, **kwargs):
        """`for`: a static range counts in constants, any other in tensors of the type that its bounds promote to."""
        if counter is core.static_range:
            bounds = counter(*map(_as_constant, args), **{k: _as_constant(v) for k, v in kwargs.items()})
            return builtins.range(*map(unwrap_if_constexpr, (bounds.start, bounds.end, bounds.step)))
        if counter is core.range:
            bounds = counter(*args, **kwargs)
            args = bounds.start, bounds.end, bounds.step
        bounds = [self.semantic.to_tensor(unwrap_if_constexpr(a)) for a in args]
        dtype = bounds[0].dtype
        for bound in (*bounds[1:], self.semantic.to_tensor(0)):
            dtype = self.semantic.integer_promote_impl(dtype, bound.dtype)
        return self._counters(dtype, builtins.range(*(int(b.handle.data.item()) for b in bounds)))

    def _counters(self, dtype, values):
        stored = numpy_dtype(dtype)
        for value in values:
            yield Tensor(TensorHandle(np.array([value]).astype(stored), dtype), dtype)

    def call(self, fn, *args, **kwargs):
        fn = unwrap_if_constexpr(fn)
        if isinstance(fn, JITFunction):
            return self.function(fn)(*args, **kwargs)
        if isinstance(fn, BoundConstexprFunction):
            fn, args = fn.__func__, (fn.__self__, *args)
        if isinstance(fn, ConstexprFunction):
            return fn.fn(*map(unwrap_if_constexpr, args), **{k: unwrap_if_constexpr(v) for k, v in kwargs.items()})
        if getattr(fn, "__module__", None) == LIBDEVICE_STUBS:
            fn = getattr(cuda_libdevice, fn.__name__)
        fn = self._replaced.get(fn, fn) if fn.__hash__ else fn
        if is_builtin(fn) or isinstance(getattr(fn, "__self__", None), core.base_value):
            kwargs = {name: _as_constant(value) for name, value in kwargs.items()}
            return fn(*map(_as_constant, args), **kwargs, **self._implicit_arguments(fn))
        if isinstance(fn, type) and issubclass(fn, core.base_value):
            return fn(*args, **kwargs)
        return fn(*map(unwrap_if_constexpr, args), **kwargs)

    def _implicit_arguments(self, fn):
        key = getattr(fn, "__func__", fn)
        implicit = self._implicit.get(key)
        if implicit is None:
            wanted = inspect.signature(fn).parameters
            given = {"_semantic": self.semantic, "_generator": self.semantic.combine_capture}
            implicit = self._implicit[key] = {name: value for name, value in given.items() if name in wanted}
        return implicit

    def method(self, receiver, name, *args, **kwargs):
        found = self.attribute(receiver, name) if name == "T" else getattr(receiver, name)
        if isinstance(found, JITFunction) and isinstance(receiver, core.base_value):
            return self.function(found)(receiver, *args, **kwargs)
        return self.call(found, *args, **kwargs)

    def attribute(self, receiver, name):
        if name == "T" and isinstance(receiver, core.tensor):
            return self.semantic.permute(receiver, (1, 0))
        if name == "value" and not hasattr(receiver, "value"):
            return receiver  # constants are plain Python here, where Triton wraps them
        return getattr(receiver, name)

    def item(self, container, key):
        if isinstance(container, core.tensor):
            return container.__getitem__(key, _semantic=self.semantic)
        return unwrap_if_constexpr(container)[unwrap_if_constexpr(key)]


def _as_constant(value):
    """Numbers and lists as the compiler hands them to a builtin; some builtins insist on it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return core.constexpr(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return core.tuple([_as_constant(item) for item in value])
    return value


def _nothing(*_, **__):
    return None
