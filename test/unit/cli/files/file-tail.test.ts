import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findLastLines, followFile } from '../../../../admin/cli/files/file-tail.ts'
import type { GatewayCalls } from '../../../../admin/cli/files/gateway.ts'

/** A gateway with one file, which may be changed. */
const gatewayOf = (file: { text: string }) => {
  const asked: number[] = []
  const call: GatewayCalls['call'] = async (_path, { op, offset = 0, length }) => {
    const bytes = Buffer.from(file.text)
    if (op === 'GETFILESTATUS') return Response.json({ FileStatus: { length: bytes.length, permission: '644' } })
    const part = bytes.subarray(Number(offset), Number(offset) + Number(length ?? bytes.length))
    asked.push(part.length)
    return new Response(part)
  }
  return { asked, gateway: { call, send: call } }
}

test('findLastLines is where the last lines begin', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'bc', '')),
      fc.boolean(),
      fc.integer({ min: 1, max: 6 }),
      async (lines, ends, count) => {
        const text = lines.join('\n') + (ends && lines.length > 0 ? '\n' : '')
        const all = text.split(/(?<=\n)/)
        const { gateway } = gatewayOf({ text })
        expect(text.slice(await findLastLines(gateway, '/f', text.length, count))).toBe(all.slice(-count).join(''))
      },
    ),
  )
})

test('one long line is looked through in growing blocks, each of which is read once', async () => {
  const text = `first\n${'x'.repeat(1_000_000)}\n`
  const { gateway, asked } = gatewayOf({ text })
  expect(await findLastLines(gateway, '/f', text.length, 1)).toBe(6)
  expect(asked.reduce((sum, one) => sum + one, 0)).toBe(text.length)
  expect(asked[0]).toBe(1 << 16)
  expect(asked.length).toBeLessThan(8)
})

test('followFile gives what is added, and all of a file that was cut', async () => {
  const file = { text: 'one\n' }
  const { gateway } = gatewayOf(file)
  const stop = new AbortController()
  let cuts = 0
  const seen: string[] = []
  const next = new Map([
    ['one\n', 'one\ntwo\n'],
    ['two\n', 'new'],
  ])
  for await (const chunk of followFile(gateway, '/f', 0, {
    everyMs: 0,
    signal: stop.signal,
    onTruncated: () => cuts++,
  })) {
    const text = Buffer.from(chunk).toString()
    seen.push(text)
    file.text = next.get(text) ?? ''
    if (text === 'new') stop.abort()
  }
  expect([seen, cuts]).toEqual([['one\n', 'two\n', 'new'], 1])
})
