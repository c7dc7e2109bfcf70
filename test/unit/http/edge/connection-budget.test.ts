import { describe, expect, test } from 'vitest'
import { createConnectionBudget, readMaxOpenFiles } from '../../../../src/http/edge/connection-budget.ts'
import type { Logger } from '../../../../src/log/log.ts'

const create = (maxOpenFiles: number | undefined) => {
  const lines: string[] = []
  const tell = (level: string) => (fields: object, message: string) =>
    void lines.push(
      `${level} ${'listener' in fields ? String(fields.listener) : ''}: ${message.split(':', 1).join('')}`,
    )
  const logger: Logger = { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') }
  return { lines, ...createConnectionBudget(maxOpenFiles, logger) }
}

/** As many as may be open. */
const fill = (count: { take(): boolean }): number => {
  let open = 0
  while (count.take()) open++
  return open
}

describe('what the connections of all listeners may take', () => {
  test.each([1_024, 4_096, 20_000, 65_536, 1_048_576])(
    'of %i open files they leave a part to all else, however they come',
    files => {
      for (const order of [
        [0, 1, 2, 3],
        [3, 2, 1, 0],
      ]) {
        const { listener } = create(files)
        const counts = ['server', 'gateway', 'scribe', 'admin'].map(name => listener(name, 20_000))
        const opened = order.map(at => fill(counts[at] ?? { take: () => false }))
        const all = opened.reduce((sum, one) => sum + one, 0)
        expect(all).toBeLessThanOrEqual(files - Math.min(files / 4, 2_048))
        // None is shut out by the others.
        for (const one of opened) expect(one).toBeGreaterThanOrEqual(Math.min(20_000, Math.floor((files * 3) / 32)))
      }
    },
  )

  test('one listener may have what the others do not need', () => {
    const { listener } = create(4_096)
    const [server] = ['server', 'scribe', 'admin'].map(name => listener(name, 20_000))
    expect(fill(server ?? { take: () => false })).toBe(3_072 - 2 * 384)
  })

  test('where the system does not tell, each has its own limit', () => {
    const { listener } = create(undefined)
    expect([fill(listener('a', 10)), fill(listener('b', 20))]).toEqual([10, 20])
  })

  test('that connections are refused is said once, and once that it is over', () => {
    const { listener, lines } = create(undefined)
    const count = listener('server', 80)
    fill(count)
    for (let i = 0; i < 10; i++) count.take()
    count.lacked()
    expect(lines).toEqual(['warn server: connections are refused'])
    for (let i = 0; i < 9; i++) count.give()
    fill(count)
    expect(lines).toHaveLength(1)
    for (let i = 0; i < 80; i++) count.give()
    expect(lines.slice(1)).toEqual(['info server: connections are accepted again'])
    expect(fill(count)).toBe(80)
    expect(lines).toHaveLength(3)
  })

  test('the system tells on Linux', () => {
    if (process.platform === 'linux') expect(readMaxOpenFiles()).toBeGreaterThan(0)
  })
})
