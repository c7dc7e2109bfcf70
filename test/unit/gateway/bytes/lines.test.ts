import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineCut } from '../../../../src/gateway/bytes/lines.ts'

async function* inPieces(text: string, size: number, onRead: (bytes: number) => void = () => {}) {
  for (let at = 0; at < text.length; at += size) {
    onRead(Math.min(at + size, text.length))
    yield Buffer.from(text.slice(at, at + size), 'latin1')
  }
}

const textOf = async (source: AsyncIterable<Uint8Array>): Promise<string> =>
  Buffer.concat(await Array.fromAsync(source)).toString('latin1')

test('cuts the wanted lines out of several files, however they come', async () => {
  const file = fc.string({ unit: fc.constantFrom('a', '\n', 'b') })
  await fc.assert(
    fc.asyncProperty(
      fc.array(file),
      fc.nat(9),
      fc.nat(9),
      fc.integer({ min: 1, max: 5 }),
      async (files, first, more, size) => {
        const cut = createLineCut({ first, last: first + more })
        let text = ''
        for (const one of files) text += await textOf(cut.cut(inPieces(one, size)))
        const lines = files.flatMap(one => one.match(/[^\n]*\n|[^\n]+$/g) ?? [])
        expect(text).toBe(lines.slice(first, first + more + 1).join(''))
        expect(cut.isDone).toBe(lines.length > first + more)
      },
    ),
  )
})

test('reads nothing behind the last wanted line', async () => {
  let read = 0
  const cut = createLineCut({ first: 0, last: 1 })
  const source = inPieces('1\n2\n3\n4\n5\n', 2, bytes => {
    read = bytes
  })
  expect(await textOf(cut.cut(source))).toBe('1\n2\n')
  expect(read).toBe(4)
})
