import { describe, expect, test } from 'vitest'
import {
  toCounted,
  toExactSize,
  toIsoTime,
  toPermissionText,
  toRelativeTime,
  toSizeText,
} from '../../../../../src/gateway/pages/elements/format.ts'

describe('toSizeText', () => {
  test.each([
    { given: 0, want: '0 B' },
    { given: 999, want: '999 B' },
    { given: 1_000, want: '1.0 kB' },
    { given: 1_536, want: '1.5 kB' },
    { given: 9_990, want: '10 kB' },
    { given: 999_999, want: '1.0 MB' },
    { given: 123_456_789, want: '123 MB' },
    { given: 5e12, want: '5.0 TB' },
    { given: Number.MAX_SAFE_INTEGER, want: '9.0 PB' },
  ])('shows $given as $want', ({ given, want }) => expect(toSizeText(given)).toBe(want))
})

test.each([
  { given: toExactSize(1), want: '1 byte' },
  { given: toExactSize(1536), want: '1,536 bytes' },
  { given: toCounted(1, 'entry', 'entries'), want: '1 entry' },
  { given: toCounted(1200, 'row'), want: '1,200 rows' },
])('counts as in $want', ({ given, want }) => expect(given).toBe(want))

describe('toRelativeTime', () => {
  const now = Date.UTC(2026, 4, 3, 12)
  test.each([
    { agoMs: 0, want: 'just now' },
    { agoMs: -30_000, want: 'just now' },
    { agoMs: 59_999, want: 'just now' },
    { agoMs: 60_000, want: '1 min ago' },
    { agoMs: 3_599_999, want: '59 min ago' },
    { agoMs: 7_200_000, want: '2 h ago' },
    { agoMs: 3 * 86_400_000, want: '3 d ago' },
    { agoMs: 30 * 86_400_000, want: '2026-04-03' },
    { agoMs: -86_400_000, want: '2026-05-04' },
  ])('shows $agoMs ms as $want', ({ agoMs, want }) => expect(toRelativeTime(now - agoMs, now)).toBe(want))
})

test.each([
  { given: 1304459806898, want: '2011-05-03T21:56:46Z' },
  { given: 0, want: '1970-01-01T00:00:00Z' },
  { given: 1e16, want: 'unknown' },
  { given: Number.NaN, want: 'unknown' },
])('toIsoTime of $given is $want', ({ given, want }) => expect(toIsoTime(given)).toBe(want))

test.each([
  { bits: 0o644, isDirectory: false, want: '-rw-r--r--' },
  { bits: 0o755, isDirectory: true, want: 'drwxr-xr-x' },
  { bits: 0o1777, isDirectory: true, want: 'drwxrwxrwt' },
  { bits: 0o1770, isDirectory: true, want: 'drwxrwx--T' },
  { bits: 0o4711, isDirectory: false, want: '-rws--x--x' },
  { bits: 0o2640, isDirectory: false, want: '-rw-r-S---' },
  { bits: 0, isDirectory: false, want: '----------' },
])('toPermissionText shows $bits as $want', ({ bits, isDirectory, want }) =>
  expect(toPermissionText(bits, isDirectory)).toBe(want),
)
