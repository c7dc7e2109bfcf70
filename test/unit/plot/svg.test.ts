import { describe, expect, test } from 'vitest'
import { type LinePlot, toLinePlot } from '../../plot/svg.ts'

const plot: LinePlot = {
  title: 'Memory',
  x: { label: 'time (min)' },
  y: { label: 'memory (MB)' },
  series: [
    {
      name: 'resident',
      points: [
        [0, 90],
        [30, 100],
      ],
    },
    {
      name: 'heap',
      points: [
        [0, 40],
        [30, 50],
      ],
    },
  ],
}

const texts = (svg: string): string[] => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text ?? '')

describe('toLinePlot', () => {
  test('shows title, axes, a legend, and every name at the end of its line', () => {
    const shown = texts(toLinePlot({ ...plot, note: 'one machine' }))
    expect(shown).toEqual(expect.arrayContaining(['Memory', 'time (min)', 'memory (MB)', '0', '100', 'one machine']))
    expect(shown.filter(text => text === 'resident')).toHaveLength(2)
    expect(shown.filter(text => text === 'heap')).toHaveLength(2)
  })

  test('draws points where the axes say', () => {
    expect(toLinePlot(plot)).toContain('class="line line0" d="M68 88.6L600 66"')
  })

  test('a single series needs no legend', () => {
    const [first] = plot.series
    expect(
      texts(toLinePlot({ ...plot, series: first ? [first] : [] })).filter(text => text === 'resident'),
    ).toHaveLength(1)
  })

  test('a logarithmic axis leaves out what it cannot show', () => {
    const svg = toLinePlot({
      ...plot,
      x: { label: 'connections', scale: 'log' },
      series: [
        {
          name: 'a',
          points: [
            [0, 1],
            [1, Number.NaN],
            [1, 5],
            [100, 5],
          ],
        },
      ],
    })
    expect(svg).toContain('class="line line0" d="M68 66L600 66"')
  })

  test.each([[[]], [[{ name: 'none', points: [] }]]])('without points it says so: %j', series => {
    const svg = toLinePlot({ ...plot, series })
    expect(texts(svg)).toContain('no data')
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  })

  test('names that end at the same height do not cover each other', () => {
    const series = ['a', 'b', 'c'].map(name => ({ name, points: [[0, 0] as const, [1, 0] as const] }))
    const heights = [...toLinePlot({ ...plot, series }).matchAll(/<text class="fill\d" x="[\d.]+" y="([\d.]+)"/g)]
      .map(([, y]) => Number(y))
      .toSorted((a, b) => a - b)
    expect(heights).toHaveLength(3)
    for (const [i, y] of heights.entries()) if (i > 0) expect(y - (heights[i - 1] ?? 0)).toBeGreaterThanOrEqual(15)
  })

  test('texts are escaped', () => {
    const svg = toLinePlot({ ...plot, title: '</title><script>a & "b"\0</script>', note: 'a < b \ud800' })
    expect(svg).toContain('&lt;/title&gt;&lt;script&gt;a &amp; &quot;b&quot;\ufffd')
    expect(svg).toContain('a &lt; b \ufffd')
    expect(svg).not.toContain('<script')
  })

  test('more lines than can be distinguished are refused', () => {
    const series = Array.from({ length: 7 }, (_, i) => ({ name: String(i), points: [] }))
    expect(() => toLinePlot({ ...plot, series })).toThrow(
      new RangeError('Cannot plot "Memory": 7 series, at most 6 can be told apart'),
    )
  })
})
