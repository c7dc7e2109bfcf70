/**
 * A JSON text as a value that hides nothing: members in their order and with repetitions, numbers with all of their
 * digits. Two texts say the same exactly when these are equal.
 */
export const toJsonValue = (text: string): unknown => {
  let at = 0
  const take = (token: RegExp): string => {
    const sticky = new RegExp(`[\\t\\n\\r ]*(${token.source})`, 'y')
    sticky.lastIndex = at
    const found = sticky.exec(text)
    if (!found) throw new Error(`No ${token.source} at ${at} of ${text.slice(0, 200)}`)
    at = sticky.lastIndex
    return found[1] ?? ''
  }
  const list = <T>(end: string, one: () => T): T[] => {
    const items: T[] = []
    take(/[[{]/)
    let next = text[skip()] === end ? take(/[\]}]/) : ','
    while (next === ',') {
      items.push(one())
      next = take(/[,\]}]/)
    }
    if (next !== end) throw new Error(`No ${end} at ${at} of ${text.slice(0, 200)}`)
    return items
  }
  const skip = (): number => {
    let to = at
    while (/[\t\n\r ]/.test(text[to] ?? '')) to++
    return to
  }
  const readText = (): string => JSON.parse(take(/"(?:[^"\\]|\\.)*"/)) as string
  const read = (): unknown => {
    const first = text[skip()] ?? ''
    if (first === '{') {
      const members = list('}', () => {
        const name = readText()
        take(/:/)
        return [name, read()]
      })
      return { members }
    }
    if (first === '[') return list(']', read)
    if (first === '"') return readText()
    const word = take(/[^\],}\t\n\r ]+/)
    return /^[-\d]/.test(word) ? { number: toDigits(word) } : (JSON.parse(word) as unknown)
  }
  const value = read()
  if (skip() !== text.length) throw new Error(`More behind the value, at ${at} of ${text}`)
  return value
}

/** One spelling of each number: sign, digits without zeros at their ends, exponent. */
const toDigits = (text: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (whole === '') throw new Error(`No number: ${text}`)
  const digits = (whole + fraction).replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return `${sign}0`
  return `${sign}${short}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length)}`
}
