import { describe, expect, test } from 'vitest'
import { createProgress } from '../../../../admin/cli/print/progress.ts'
import { textWidth } from '../../../../admin/cli/print/text-width.ts'

const terminal = (columns: number) => {
  const written: string[] = []
  return { written, stream: { isTTY: true, columns, write: (text: string) => written.push(text) } }
}

describe('createProgress', () => {
  test('writes nothing without a terminal', () => {
    const written: string[] = []
    const progress = createProgress({ label: 'Work', stream: { write: text => written.push(text) } })
    progress.update(1, 2)
    progress.end()
    expect(written).toEqual([])
  })

  test('draws over itself, shows share and rate, and leaves nothing', () => {
    const { written, stream } = terminal(100)
    let ms = 0
    const progress = createProgress({ label: 'Work', stream, now: () => ms })
    progress.update(0, 2_000_000, 'file')
    ms = 1_000
    progress.update(1_000_000, 2_000_000, 'file')
    progress.end()
    expect(written[1]).toContain(' 50 %')
    expect(written[1]).toContain('1.0 MB/2.0 MB')
    expect(written[1]).toContain('1.0 MB/s')
    expect(written.every(line => line.startsWith('\r\u001b[2K'))).toBe(true)
    expect(written.at(-1)).toBe('\r\u001b[2K')
  })

  test('is not drawn more often than people see, but its end always is', () => {
    const { written, stream } = terminal(80)
    const progress = createProgress({ label: 'Work', stream, now: () => 0 })
    for (let i = 0; i <= 1_000; i++) progress.update(i, 1_000)
    expect(written).toHaveLength(2)
    expect(written[1]).toContain('100 %')
  })

  test('never wraps, however narrow the terminal', () => {
    for (let columns = 25; columns < 120; columns++) {
      const { written, stream } = terminal(columns)
      let ms = 0
      const progress = createProgress({ label: 'Downloading', stream, now: () => ms })
      for (const total of [123_456_789_000, undefined]) {
        ms += 10_000
        progress.update(23_456_789_000, total, 'a/rather/long/name/of/a/file.smile')
      }
      for (const line of written) expect(textWidth(line.replace('\r', '')), `${columns}`).toBeLessThan(columns)
    }
  })
})
