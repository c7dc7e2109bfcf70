import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBoundary, parseMultipart } from '../../../../src/gateway/write/multipart.ts'
import { pieces } from '../../../suites/pieces.ts'

const bytes = (text: string) => Buffer.from(text, 'utf8')

const read = async (whole: Uint8Array, size = 7) => {
  const { name, content } = await parseMultipart(pieces(whole, size), 'b0')
  return { name, content: Buffer.concat(await Array.fromAsync(content)).toString('latin1') }
}

const file = (content: string, disposition = 'form-data; name="file"; filename="a.txt"') =>
  `--b0\r\nContent-Disposition: ${disposition}\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`
const field = (value: string) => `--b0\r\nContent-Disposition: form-data; name="x"\r\n\r\n${value}\r\n`

describe('parseBoundary', () => {
  test.each([
    { given: 'multipart/form-data; boundary=b0', want: 'b0' },
    { given: 'Multipart/Form-Data;charset=utf-8; Boundary="a b"', want: 'a b' },
    { given: 'application/octet-stream', want: undefined },
    { given: 'multipart/mixed; boundary=b0', want: undefined },
    { given: undefined, want: undefined },
  ])('reads $given', ({ given, want }) => expect(parseBoundary(given)).toBe(want))

  test.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ])('refuses %s', given =>
    expect(() => parseBoundary(given)).toThrow(expect.objectContaining({ code: 'bad-request' })),
  )
})

describe('parseMultipart', () => {
  test.each([
    { name: 'one file', given: `${file('hello')}--b0--\r\n`, want: { name: 'a.txt', content: 'hello' } },
    { name: 'no line break at the end', given: `${file('hello')}--b0--`, want: { name: 'a.txt', content: 'hello' } },
    { name: 'an empty file', given: `${file('')}--b0--\r\n`, want: { name: 'a.txt', content: '' } },
    { name: 'preamble and epilogue', given: `hi\r\n${file('x')}--b0--\r\nbye`, want: { name: 'a.txt', content: 'x' } },
    {
      name: 'spaces behind a boundary',
      given: `${file('x').replace('--b0', '--b0  ')}--b0--`,
      want: { name: 'a.txt', content: 'x' },
    },
    {
      name: 'fields around',
      given: `${field('1')}${file('x')}${field('2')}--b0--\r\n`,
      want: { name: 'a.txt', content: 'x' },
    },
    {
      name: 'what looks like a boundary',
      given: `${file('\r\n--b\r\n--b1\r\n-')}--b0--`,
      want: { name: 'a.txt', content: '\r\n--b\r\n--b1\r\n-' },
    },
  ])('reads $name, however it is cut into chunks', async ({ given, want }) => {
    for (const size of [1, 2, 3, 5, 64, 100_000]) expect(await read(bytes(given), size)).toEqual(want)
  })

  test.each([
    { given: 'filename="a b.txt"', want: 'a b.txt' },
    { given: 'filename=plain.txt', want: 'plain.txt' },
    { given: 'filename="q%22uote.txt"', want: 'q"uote.txt' },
    { given: 'filename="q\\"uote\\\\.txt"', want: 'q"uote\\.txt' },
    { given: 'filename="100%25.txt"', want: '100%25.txt' },
    { given: 'filename="é世.txt"', want: 'é世.txt' },
    { given: 'filename="x"; filename*=UTF-8\'\'%e2%82%ac.txt', want: '€.txt' },
    { given: 'filename=""', want: '' },
  ])('takes the name of $given', async ({ given, want }) => {
    expect((await read(bytes(`${file('x', `form-data; name=f; ${given}`)}--b0--`))).name).toBe(want)
  })

  test.each([
    { name: 'no file', given: `${field('1')}--b0--\r\n` },
    { name: 'two files', given: `${file('1')}${file('2')}--b0--\r\n` },
    { name: 'nothing', given: '' },
    { name: 'another boundary', given: file('x').replaceAll('b0', 'zz') },
    { name: 'huge headers', given: `--b0\r\nX: ${'x'.repeat(20_000)}\r\n\r\nx\r\n--b0--` },
    { name: 'many headers', given: `--b0\r\n${'X: y\r\n'.repeat(5_000)}\r\nx\r\n--b0--` },
    { name: 'a huge field', given: `${field('x'.repeat(70_000))}${file('x')}--b0--` },
    { name: 'many fields', given: `${field('1').repeat(40)}${file('x')}--b0--` },
    { name: 'a huge preamble', given: `${'x'.repeat(70_000)}\r\n${file('x')}--b0--` },
    { name: 'a huge epilogue', given: `${file('x')}--b0--${'x'.repeat(70_000)}` },
    {
      name: 'base64',
      given: `${file('x').replace('\r\n\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\n')}--b0--`,
    },
    { name: 'a bad header', given: `--b0\r\nno colon\r\n\r\nx\r\n--b0--` },
    { name: 'text behind a boundary', given: `--b0x\r\n\r\nx\r\n--b0--` },
  ])('refuses $name', async ({ given }) => {
    await expect(read(bytes(given), 1000)).rejects.toMatchObject({ code: 'bad-request' })
  })

  test('refuses a body that is cut at any byte before its closing boundary', async () => {
    const whole = bytes(`${field('1')}${file('hello\r\n')}--b0--`)
    for (let end = 0; end < whole.length; end++) {
      await expect(read(whole.subarray(0, end)), `cut at ${end}`).rejects.toMatchObject({ code: 'bad-request' })
    }
    expect(await read(whole)).toEqual({ name: 'a.txt', content: 'hello\r\n' })
  })

  test('gives back any bytes that do not hold the boundary', async () => {
    const content = fc.string({ unit: fc.constantFrom('\r', '\n', '-', 'b', '0', '\xff') })
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 9 }), async (text, size) => {
        fc.pre(!`\r\n${text}\r\n`.slice(0, -1).includes('\r\n--b0'))
        const whole = Buffer.concat([
          bytes(file('@')).subarray(0, -3),
          Buffer.from(text, 'latin1'),
          bytes('\r\n--b0--'),
        ])
        expect((await read(whole, size)).content).toBe(text)
      }),
    )
  })

  test('any bytes end in a file or in bad-request', async () => {
    const pieces = fc.array(
      fc.constantFrom('--b0', '\r\n', '--', 'Content-Disposition: form-data; filename=x', ':', 'a', '"'),
    )
    await fc.assert(
      fc.asyncProperty(pieces, async parts => {
        const outcome = await read(bytes(parts.join(''))).catch((error: unknown) => error)
        if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'bad-request' })
      }),
      { numRuns: 500 },
    )
  })
})
