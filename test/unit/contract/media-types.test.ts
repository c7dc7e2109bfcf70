import { expect, test } from 'vitest'
import { createAcceptCheck, createTypeCheck } from '../../../src/contract/media-types.ts'

test.each([
  { header: undefined, want: true },
  { header: '', want: true },
  { header: 'application/json', want: true },
  { header: 'Application/JSON; charset=utf-8', want: true },
  { header: ' application/json ', want: true },
  { header: 'application/json+smile', want: false },
  { header: 'ning/1.0', want: true },
  { header: 'text/xml', want: false },
  { header: 'ning', want: false },
  { header: '*/*', want: false },
])('createTypeCheck of JSON and ning/*: $header', ({ header, want }) => {
  expect(createTypeCheck(['application/json', 'ning/*'])(header)).toBe(want)
})

test('createTypeCheck of */* takes every type', () => {
  expect(createTypeCheck(['*/*'])('image/png')).toBe(true)
})

test.each([
  { header: undefined, want: true },
  { header: '', want: true },
  { header: '*/*', want: true },
  { header: '*', want: true },
  { header: 'text/plain', want: true },
  { header: 'TEXT/*', want: true },
  { header: 'image/avif,image/webp,*/*;q=0.8', want: true },
  { header: 'application/json', want: false },
  { header: 'text/html, image/*', want: false },
  { header: 'text/plain;q=0', want: false },
  { header: '*/*, text/plain; q=0', want: false },
  { header: 'text/*;q=0, */*', want: false },
  { header: '*/*;q=0, text/plain;q=0.1', want: true },
  { header: ',,;,text/plain', want: true },
])('createAcceptCheck of text/plain: $header', ({ header, want }) => {
  expect(createAcceptCheck(['text/plain'])(header)).toBe(want)
})
