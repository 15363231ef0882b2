// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/kernels.h"

namespace kbx::timing {

// PTX 7.0 is the oldest that knows sm_80, so every driver that runs such a card takes it. The three memory kernels go
// over their data with the whole grid, four units of 16 bytes in flight a thread, which is what it takes to fill the
// memory system of an H200.
const char* const kKernelsPtx = R"ptx(
.version 7.0
.target sm_80
.address_size 64

.visible .entry kbx_nothing()
{
  ret;
}

.visible .entry kbx_spin(.param .u64 cycles)
{
  .reg .u64 %limit, %start, %now;
  .reg .pred %more;
  ld.param.u64 %limit, [cycles];
  mov.u64 %start, %clock64;
SPIN:
  mov.u64 %now, %clock64;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %more, %now, %limit;
  @%more bra SPIN;
  ret;
}

.visible .entry kbx_wait(.param .u64 ns)
{
  .reg .u64 %limit, %start, %now;
  .reg .pred %more;
  ld.param.u64 %limit, [ns];
  mov.u64 %start, %globaltimer;
WAIT:
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %more, %now, %limit;
  @%more bra WAIT;
  ret;
}

.visible .entry kbx_read(.param .u64 from, .param .u64 n, .param .u64 sink)
{
  .reg .u64 %from, %n, %sink, %i, %step, %last, %at, %wide;
  .reg .u32 %t, %b, %size, %x<16>, %all;
  .reg .pred %done;
  ld.param.u64 %from, [from];
  ld.param.u64 %n, [n];
  ld.param.u64 %sink, [sink];
  cvta.to.global.u64 %from, %from;
  cvta.to.global.u64 %sink, %sink;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mul.wide.u32 %i, %b, %size;
  cvt.u64.u32 %wide, %t;
  add.u64 %i, %i, %wide;
  mov.u32 %b, %nctaid.x;
  mul.wide.u32 %step, %b, %size;
  mov.u32 %all, 0;
READ4:
  mad.lo.u64 %last, %step, 3, %i;
  setp.ge.u64 %done, %last, %n;
  @%done bra READ1;
  shl.b64 %at, %i, 4;
  add.u64 %at, %at, %from;
  shl.b64 %wide, %step, 4;
  ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%at];
  add.u64 %at, %at, %wide;
  ld.global.v4.u32 {%x4, %x5, %x6, %x7}, [%at];
  add.u64 %at, %at, %wide;
  ld.global.v4.u32 {%x8, %x9, %x10, %x11}, [%at];
  add.u64 %at, %at, %wide;
  ld.global.v4.u32 {%x12, %x13, %x14, %x15}, [%at];
  xor.b32 %x0, %x0, %x1;
  xor.b32 %x2, %x2, %x3;
  xor.b32 %x4, %x4, %x5;
  xor.b32 %x6, %x6, %x7;
  xor.b32 %x8, %x8, %x9;
  xor.b32 %x10, %x10, %x11;
  xor.b32 %x12, %x12, %x13;
  xor.b32 %x14, %x14, %x15;
  xor.b32 %x0, %x0, %x2;
  xor.b32 %x4, %x4, %x6;
  xor.b32 %x8, %x8, %x10;
  xor.b32 %x12, %x12, %x14;
  xor.b32 %x0, %x0, %x4;
  xor.b32 %x8, %x8, %x12;
  xor.b32 %x0, %x0, %x8;
  xor.b32 %all, %all, %x0;
  add.u64 %i, %last, %step;
  bra READ4;
READ1:
  setp.ge.u64 %done, %i, %n;
  @%done bra READ_END;
  shl.b64 %at, %i, 4;
  add.u64 %at, %at, %from;
  ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%at];
  xor.b32 %x0, %x0, %x1;
  xor.b32 %x2, %x2, %x3;
  xor.b32 %x0, %x0, %x2;
  xor.b32 %all, %all, %x0;
  add.u64 %i, %i, %step;
  bra READ1;
READ_END:
  // Practically never; without it nothing would have to be read.
  setp.ne.u32 %done, %all, 0x5bd1e995;
  @%done bra READ_RET;
  st.global.u32 [%sink], %all;
READ_RET:
  ret;
}

.visible .entry kbx_write(.param .u64 to, .param .u64 n, .param .u32 seed)
{
  .reg .u64 %to, %n, %i, %step, %at, %wide;
  .reg .u32 %t, %b, %size, %seed, %x<5>;
  .reg .pred %done;
  ld.param.u64 %to, [to];
  ld.param.u64 %n, [n];
  ld.param.u32 %seed, [seed];
  cvta.to.global.u64 %to, %to;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mul.wide.u32 %i, %b, %size;
  cvt.u64.u32 %wide, %t;
  add.u64 %i, %i, %wide;
  mov.u32 %b, %nctaid.x;
  mul.wide.u32 %step, %b, %size;
WRITE:
  setp.ge.u64 %done, %i, %n;
  @%done bra WRITE_END;
  cvt.u32.u64 %x0, %i;
  mad.lo.u32 %x0, %x0, 0x9e3779b1, %seed;
  shr.u32 %x4, %x0, 16;
  xor.b32 %x0, %x0, %x4;
  mul.lo.u32 %x1, %x0, 0x85ebca6b;
  shr.u32 %x4, %x1, 13;
  xor.b32 %x2, %x1, %x4;
  mul.lo.u32 %x3, %x2, 0xc2b2ae35;
  shl.b64 %at, %i, 4;
  add.u64 %at, %at, %to;
  st.global.v4.u32 [%at], {%x0, %x1, %x2, %x3};
  add.u64 %i, %i, %step;
  bra WRITE;
WRITE_END:
  ret;
}

.visible .entry kbx_copy(.param .u64 to, .param .u64 from, .param .u64 n)
{
  .reg .u64 %to, %from, %n, %i, %step, %last, %at, %out, %wide;
  .reg .u32 %t, %b, %size, %x<16>;
  .reg .pred %done;
  ld.param.u64 %to, [to];
  ld.param.u64 %from, [from];
  ld.param.u64 %n, [n];
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %size, %ntid.x;
  mul.wide.u32 %i, %b, %size;
  cvt.u64.u32 %wide, %t;
  add.u64 %i, %i, %wide;
  mov.u32 %b, %nctaid.x;
  mul.wide.u32 %step, %b, %size;
COPY4:
  mad.lo.u64 %last, %step, 3, %i;
  setp.ge.u64 %done, %last, %n;
  @%done bra COPY1;
  shl.b64 %at, %i, 4;
  add.u64 %out, %at, %to;
  add.u64 %at, %at, %from;
  shl.b64 %wide, %step, 4;
  ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%at];
  add.u64 %at, %at, %wide;
  ld.global.v4.u32 {%x4, %x5, %x6, %x7}, [%at];
  add.u64 %at, %at, %wide;
  ld.global.v4.u32 {%x8, %x9, %x10, %x11}, [%at];
  add.u64 %at, %at, %wide;
  ld.global.v4.u32 {%x12, %x13, %x14, %x15}, [%at];
  st.global.v4.u32 [%out], {%x0, %x1, %x2, %x3};
  add.u64 %out, %out, %wide;
  st.global.v4.u32 [%out], {%x4, %x5, %x6, %x7};
  add.u64 %out, %out, %wide;
  st.global.v4.u32 [%out], {%x8, %x9, %x10, %x11};
  add.u64 %out, %out, %wide;
  st.global.v4.u32 [%out], {%x12, %x13, %x14, %x15};
  add.u64 %i, %last, %step;
  bra COPY4;
COPY1:
  setp.ge.u64 %done, %i, %n;
  @%done bra COPY_END;
  shl.b64 %at, %i, 4;
  add.u64 %out, %at, %to;
  add.u64 %at, %at, %from;
  ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%at];
  st.global.v4.u32 [%out], {%x0, %x1, %x2, %x3};
  add.u64 %i, %i, %step;
  bra COPY1;
COPY_END:
  ret;
}
)ptx";

}  // namespace kbx::timing
