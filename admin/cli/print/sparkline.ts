/** Fewer columns show nothing. */
const minWidth = 5
const steps = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/**
 * The newest values as a small chart, right-aligned in a number of columns; from 0 to the largest value; undefined: a
 * gap.
 */
export const toSparkline = (values: readonly (number | undefined)[], width: number): string => {
  if (width < minWidth) return ''
  const shown = values.slice(-width).map(value => (value === undefined || value > 0 ? value : 0))
  const highest = shown.reduce((most: number, value) => Math.max(most, value ?? 0), 0)
  const bars = shown.map(value => {
    if (value === undefined) return ' '
    if (value === 0) return steps[0]
    return steps[Math.min(steps.length - 1, Math.ceil((value / highest) * (steps.length - 1)))]
  })
  return bars.join('').padStart(width)
}
