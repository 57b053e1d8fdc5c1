// SPDX-License-Identifier: Apache-2.0
//
// Elements moved between two memories by nested loops, the boxes of tla's plans of copies.
//
// The two inner loops are a plane: `a`, whose step in the source is the least, and `b`, whose step in the
// target is. A run that both sides have is one wide element. Where `a` is a run of the source and `b` one of
// the target, vectors are zipped: row by row, the lanes of two halves in turn. Some zips transpose a square,
// interleave rows, or part them again. Large memory is written past the cache, in whole lines.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef struct {
  ptrdiff_t extent, source, target;  // how often it runs, and the bytes that a step passes on each side
} Loop;

enum { LINE = 64, LANES = 16, MOST_LOOPS = 64 };

// What is written past the cache: nothing, gathered lines, as is best of new memory, or all that is in order.
enum { NOTHING, LINES, ALL };

static const ptrdiff_t ROWS = 64;  // rows whose lines stay in the cache

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

// --- elements, one after the other --------------------------------------------------------------------

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
typedef unsigned char Vector __attribute__((vector_size(LANES)));

INLINE Vector load(const char *at) {
  Vector value;
  memcpy(&value, at, LANES);
  return value;
}

INLINE void store(char *at, Vector value, const int past_cache) {
#ifdef __SSE2__
  if (past_cache) {
    _mm_stream_si128((__m128i *)at, (__m128i)value);
    return;
  }
#endif
  memcpy(at, &value, LANES);
}

INLINE void stream(const char *source, char *target, const ptrdiff_t width) {
  for (ptrdiff_t i = 0; i < width; i += LANES) store(target + i, load(source + i), 1);
}
#else
#define INLINE static inline
#define stream memcpy
#endif

static int is_aligned(const char *at, ptrdiff_t step, ptrdiff_t by) {
  return (uintptr_t)at % by == 0 && step % by == 0;
}

#define EACH(COPY, WIDTH)                                                            \
  for (ptrdiff_t i = 0; i < a.extent; i++)                                           \
    for (ptrdiff_t j = 0; j < b.extent; j++)                                         \
      COPY(target + i * a.target + j * b.target, source + i * a.source + j * b.source, WIDTH);
#define STREAM(to, from, width) stream(from, to, width)

static void move_each(const char *source, char *target, ptrdiff_t width, Loop a, Loop b, int past_cache) {
  past_cache = past_cache == ALL && width % LANES == 0 && is_aligned(target, a.target | b.target, LANES);
  switch (past_cache ? -width : width) {
    case 1: EACH(memcpy, 1) break;
    case 2: EACH(memcpy, 2) break;
    case 4: EACH(memcpy, 4) break;
    case 8: EACH(memcpy, 8) break;
    case 16: EACH(memcpy, 16) break;
    case 32: EACH(memcpy, 32) break;
    case 64: EACH(memcpy, 64) break;
    case -32: EACH(STREAM, 32) break;
    case -64: EACH(STREAM, 64) break;
    default:
      if (past_cache) {
        EACH(STREAM, width)
      } else {
        EACH(memcpy, width)
      }
  }
}

// --- planes of small elements, by zips ----------------------------------------------------------------

#if defined(__GNUC__)
typedef struct {
  const char *source;
  char *target;
  ptrdiff_t source_row, target_row;    // the bytes between the vectors of a square
  ptrdiff_t count;                     // how many squares
  ptrdiff_t source_step, target_step;  // the bytes between squares
  int past_cache;
} Strip;

INLINE Vector low(Vector a, Vector b, const int width) {
  switch (width) {
    case 1: return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    case 2: return __builtin_shufflevector(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
    case 4: return __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    default: return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  }
}

INLINE Vector high(Vector a, Vector b, const int width) {
  switch (width) {
    case 1: return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    case 2: return __builtin_shufflevector(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31);
    case 4: return __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
    default: return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
}

// Each zip turns the bits of an element's place, row before lane, left by one.
INLINE void zip(const Strip s, const int width, const int rows, const int zips, const int past_cache) {
  for (ptrdiff_t n = 0; n < s.count; n++) {
    Vector found[LANES], zipped[LANES];
    for (int i = 0; i < rows; i++) found[i] = load(s.source + n * s.source_step + i * s.source_row);
    for (int k = 0; k < zips; k++) {
      for (int i = 0; i < rows / 2; i++) {
        zipped[2 * i] = low(found[i], found[i + rows / 2], width);
        zipped[2 * i + 1] = high(found[i], found[i + rows / 2], width);
      }
      for (int i = 0; i < rows; i++) found[i] = zipped[i];
    }
    for (int i = 0; i < rows; i++) store(s.target + n * s.target_step + i * s.target_row, found[i], past_cache);
  }
}

#define KEY(WIDTH, ROWS, ZIPS) ((WIDTH) << 16 | (ROWS) << 8 | (ZIPS))
#define CASE(WIDTH, ROWS, ZIPS)                         \
  case KEY(WIDTH, ROWS, ZIPS):                          \
    if (s.past_cache) zip(s, WIDTH, ROWS, ZIPS, 1);     \
    else zip(s, WIDTH, ROWS, ZIPS, 0);                  \
    return;

static void move_strip(Strip s, ptrdiff_t width, ptrdiff_t rows, int zips) {
  s.past_cache = s.past_cache && is_aligned(s.target, s.target_row | s.target_step, LANES);
  switch (KEY(width, rows, zips)) {
    CASE(1, 16, 4) CASE(2, 8, 3) CASE(4, 4, 2) CASE(8, 2, 1)                                 // squares
    CASE(1, 2, 1) CASE(1, 4, 2) CASE(1, 8, 3) CASE(2, 2, 1) CASE(2, 4, 2) CASE(4, 2, 1)      // rows into one
    CASE(1, 2, 4) CASE(1, 4, 4) CASE(1, 8, 4) CASE(2, 2, 3) CASE(2, 4, 3) CASE(4, 2, 2)      // and out of it
  }
}

static int log_of(ptrdiff_t n) {
  int bits = 0;
  while (n > 1) n >>= 1, bits++;
  return bits;
}

static int is_power(ptrdiff_t n) { return n > 1 && (n & (n - 1)) == 0; }

// Squares of a plane whose extents are multiples of a vector's; of long rows, a line of the target at a time.
static void move_squares(const char *source, char *target, ptrdiff_t width, Loop a, Loop b, int past_cache) {
  const ptrdiff_t lanes = LANES / width, line = LINE / width;
  const int is_one_piece = b.extent <= line && a.target == b.extent * width;
  const int streams_lines = past_cache && is_aligned(target, a.target, LINE);
  for (ptrdiff_t j = 0; j < b.extent; j += line) {
    const ptrdiff_t rows = least(line, b.extent - j);
    const int is_line = rows == line && !is_one_piece;
    for (ptrdiff_t i = 0; i < a.extent; i += lanes) {
      char kept[LANES * LINE] __attribute__((aligned(LINE)));
      char *to = target + i * a.target + j * width;
      Strip s = {source + i * width + j * b.source, is_line ? kept : to, b.source, is_line ? LINE : a.target,
                 rows / lanes, lanes * b.source, LANES, past_cache == ALL && is_one_piece};
      move_strip(s, width, lanes, log_of(lanes));
      for (int k = 0; is_line && k < lanes; k++)
        if (streams_lines) stream(kept + k * LINE, to + k * a.target, LINE);
        else memcpy(to + k * a.target, kept + k * LINE, LINE);
    }
  }
}

static Loop part_of(Loop loop, ptrdiff_t extent) {
  loop.extent = extent;
  return loop;
}

// A plane by zips, and what is left beside whole vectors one by one; 0 if zips move nothing of it.
static int zip_plane(const char *source, char *target, ptrdiff_t width, Loop a, Loop b, int past_cache) {
  if (width > LANES / 2 || (width & (width - 1)) || a.source != width || b.target != width) return 0;
  const ptrdiff_t lanes = LANES / width;
  const int into_one = is_power(b.extent) && b.extent < lanes && a.target == b.extent * width;
  const int out_of_one = is_power(a.extent) && a.extent < lanes && b.source == a.extent * width;
  if (into_one == out_of_one) {
    if (into_one || a.extent < lanes || b.extent < lanes) return 0;
    if (b.extent * width > LINE) {  // what comes before the first whole line of the target
      const ptrdiff_t head = least((ptrdiff_t)(-(uintptr_t)target % LINE) / width, b.extent);
      move_each(source, target, width, a, part_of(b, head), 0);
      source += head * b.source, target += head * width, b.extent -= head;
    }
  }
  const Loop of_a = part_of(a, out_of_one ? a.extent : a.extent / lanes * lanes);
  const Loop of_b = part_of(b, into_one ? b.extent : b.extent / lanes * lanes);
  if (into_one) {
    Strip s = {source, target, b.source, LANES, of_a.extent / lanes, LANES, LANES * b.extent, past_cache == ALL};
    move_strip(s, width, b.extent, log_of(b.extent));
  } else if (out_of_one) {
    const int is_lines = is_aligned(target, a.target | of_b.extent * width, LINE);
    Strip s = {source, target, LANES, a.target, of_b.extent / lanes, LANES * a.extent, LANES,
               past_cache == ALL && is_lines};
    move_strip(s, width, a.extent, log_of(lanes));
  } else {
    move_squares(source, target, width, of_a, of_b, past_cache);
  }
  move_each(source + of_a.extent * width, target + of_a.extent * a.target, width,
            part_of(a, a.extent - of_a.extent), b, 0);
  move_each(source + of_b.extent * b.source, target + of_b.extent * width, width, of_a,
            part_of(b, b.extent - of_b.extent), 0);
  return 1;
}
#endif

static void move_plane(const char *source, char *target, ptrdiff_t width, Loop a, Loop b, int past_cache) {
#if defined(__GNUC__)
  if (zip_plane(source, target, width, a, b, past_cache)) return;
#endif
  for (ptrdiff_t j = 0; j < b.extent; j += ROWS) {
    const Loop rows = {least(ROWS, b.extent - j), b.source, b.target};
    move_each(source + j * b.source, target + j * b.target, width, a, rows, past_cache);
  }
}

// --- nests --------------------------------------------------------------------------------------------

static void move_nest(const char *source, char *target, ptrdiff_t width, const Loop *outer, int count, Loop a,
                      Loop b, int past_cache) {
  if (!count) {
    move_plane(source, target, width, a, b, past_cache);
    return;
  }
  for (ptrdiff_t i = 0; i < outer->extent; i++)
    move_nest(source + i * outer->source, target + i * outer->target, width, outer + 1, count - 1, a, b,
              past_cache);
}

static ptrdiff_t distance(ptrdiff_t step) { return step < 0 ? -step : step; }

static void move_box(const char *source, char *target, ptrdiff_t width, Loop *loops, int count,
                     int past_cache) {
  if (count && loops[count - 1].source == width && loops[count - 1].target == width)
    width *= loops[--count].extent;
  Loop a = {1, 0, 0}, b = count ? loops[--count] : a;
  if (count) {
    int nearest = count - 1;
    for (int i = 0; i < count; i++)
      if (distance(loops[i].source) < distance(loops[nearest].source)) nearest = i;
    a = loops[nearest];
    memmove(loops + nearest, loops + nearest + 1, (--count - nearest) * sizeof *loops);
  }
  const int is_out_of_one = a.source == width && b.source == a.extent * width;
  for (int i = 1; is_out_of_one && i < count; i++)  // in the order of the source
    for (int j = i; j && distance(loops[j].source) > distance(loops[j - 1].source); j--) {
      const Loop kept = loops[j];
      loops[j] = loops[j - 1], loops[j - 1] = kept;
    }
  move_nest(source, target, width, loops, count, a, b, past_cache);
#ifdef __SSE2__
  if (past_cache != NOTHING) _mm_sfence();
#endif
}

// --- elements of less than a byte -----------------------------------------------------------------------

INLINE void fold(const uint8_t *fields, uint8_t *packed, ptrdiff_t count, const int bits, const int high_first) {
  const int each = 8 / bits, mask = (1 << bits) - 1;
  for (ptrdiff_t i = 0; i < count; i++) {
    int byte = 0;
    for (int k = 0; k < each; k++)
      byte |= (fields[i * each + k] & mask) << bits * (high_first ? each - 1 - k : k);
    packed[i] = (uint8_t)byte;
  }
}

INLINE void unfold(const uint8_t *packed, uint8_t *fields, ptrdiff_t count, const int bits, const int high_first) {
  const int each = 8 / bits, mask = (1 << bits) - 1;
  for (ptrdiff_t i = 0; i < count; i++)
    for (int k = 0; k < each; k++)
      fields[i * each + k] = packed[i] >> bits * (high_first ? each - 1 - k : k) & mask;
}

#define BITS(DO, FROM, TO)                                   \
  switch (2 * bits + high_first) {                           \
    case 2: DO(FROM, TO, count, 1, 0); break;                \
    case 3: DO(FROM, TO, count, 1, 1); break;                \
    case 4: DO(FROM, TO, count, 2, 0); break;                \
    case 5: DO(FROM, TO, count, 2, 1); break;                \
    case 8: DO(FROM, TO, count, 4, 0); break;                \
    case 9: DO(FROM, TO, count, 4, 1); break;                \
  }

// --- the module -------------------------------------------------------------------------------------------

static PyObject *py_move(PyObject *self, PyObject *args) {
  (void)self;
  Py_ssize_t source, target, width;
  PyObject *given;
  int past_cache;
  if (!PyArg_ParseTuple(args, "nnnO!i", &source, &target, &width, &PyTuple_Type, &given, &past_cache)) return NULL;
  Loop loops[MOST_LOOPS];
  const Py_ssize_t count = PyTuple_Size(given);
  if (count > MOST_LOOPS || width < 1) {
    PyErr_Format(PyExc_ValueError, "%zd loops of elements of %zd bytes: at most %d loops, at least 1 byte",
                 count, width, MOST_LOOPS);
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    Py_ssize_t extent, from, to;
    if (!PyArg_ParseTuple(PyTuple_GetItem(given, i), "nnn", &extent, &from, &to)) return NULL;
    loops[i] = (Loop){extent, from * width, to * width};
  }
  Py_BEGIN_ALLOW_THREADS
  move_box((const char *)source, (char *)target, width, loops, (int)count, past_cache);
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

static PyObject *py_bits(PyObject *args, int is_fold) {
  Py_ssize_t from, to, count;
  int bits, high_first;
  if (!PyArg_ParseTuple(args, "nnnip", &from, &to, &count, &bits, &high_first)) return NULL;
  Py_BEGIN_ALLOW_THREADS
  if (is_fold) {
    BITS(fold, (const uint8_t *)from, (uint8_t *)to)
  } else {
    BITS(unfold, (const uint8_t *)from, (uint8_t *)to)
  }
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

static PyObject *py_fold(PyObject *self, PyObject *args) { return (void)self, py_bits(args, 1); }
static PyObject *py_unfold(PyObject *self, PyObject *args) { return (void)self, py_bits(args, 0); }

static PyMethodDef methods[] = {
    {"move", py_move, METH_VARARGS,
     "move(source, target, width, loops, past_cache)\n--\n\n"
     "Move elements of some bytes between addresses by loops (extent, source step, target step).\n\n"
     "past_cache is 0 for nothing, 1 for gathered lines, as is best of new memory, 2 for all in order."},
    {"fold", py_fold, METH_VARARGS,
     "fold(fields, packed, count, bits, high_first)\n--\n\n"
     "Write so many bytes of elements of 1, 2 or 4 bits, which lie in a byte each."},
    {"unfold", py_unfold, METH_VARARGS,
     "unfold(packed, fields, count, bits, high_first)\n--\n\n"
     "Write the elements of so many bytes, 1, 2 or 4 bits each, to a byte each."},
    {0},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "tla_layouts_fast",
    .m_doc = "The compiled executor of tla's plans of copies.",
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit_tla_layouts_fast(void) { return PyModuleDef_Init(&definition); }
