/** Numbers as Java writes them: `Double.toString` and `Float.toString` since JDK 19, with the shortest digits. */
import { toShortest } from './number.ts'

/** A double as Java writes it: `3.0`, `1.0E-5`, `1.5E10`, `NaN`, `-Infinity`. */
export const toJavaDouble = (value: number): string => toJavaText(value, String(Math.abs(value)))

/** A float as Java writes it; the value is that of the float. */
export const toJavaFloat = (value: number): string => toJavaText(value, String(toShortest(Math.abs(value))))

/** @param text what JavaScript writes for the absolute value: `100`, `0.001`, `1e+21`, `1.5e-7` */
const toJavaText = (value: number, text: string): string => {
  if (!Number.isFinite(value)) return String(value)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const size = Math.abs(value)
  const [mantissa = '', power = '0'] = text.split('e')
  if (size === 0) return `${sign}0.0`
  if (size >= 1e-3 && size < 1e7) return `${sign}${mantissa}${mantissa.includes('.') ? '' : '.0'}`
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const leadingZeros = whole === '0' ? fraction.length - fraction.replace(/^0+/, '').length + 1 : 0
  const exponent = Number(power) + (whole === '0' ? -leadingZeros : whole.length - 1)
  const rest = digits.slice(1).replace(/0+$/, '')
  return `${sign}${digits.charAt(0)}.${rest || '0'}E${exponent}`
}
