"""C++ text of layouts: a writer and a reader of CATLASS's and CuTe's types and expressions.

>>> layout = parse("(_16,4):(_1,16)")
>>> print(to_cpp(layout))
tla::Layout<tla::tuple<tla::C<16>, unsigned int>, tla::tuple<tla::C<1>, long>, tla::tuple<unsigned int, unsigned int> >
>>> print(to_cpp(layout, dialect="cute", kind="value"))
cute::make_layout(cute::make_shape(cute::_16{}, 4), cute::make_stride(cute::_1{}, 16))
>>> print(from_cpp("tla::MakeLayout(tla::MakeShape(tla::Int<16>{}, 4u), tla::MakeStride(tla::Int<1>{}, 16))"))
(_16,4):(_1,16)
>>> print(rewritten("error: no member 'f' in 'tla::Layout<tla::tuple<tla::C<8>, int>, tla::tuple<int, tla::C<1> > >'"))
error: no member 'f' in 'tla::Layout[(_8,int):(int,_1)]'
"""  # noqa: E501 (C++ types are long)

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .read import from_cpp as from_cpp
    from .rewrite import rewritten as rewritten
    from .write import to_cpp as to_cpp

lazy(__name__, guard=True)
