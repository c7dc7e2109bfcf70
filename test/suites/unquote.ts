/** What a value of an object name says, without quotes and escapes (the documentation of `javax.management.ObjectName`). */
export const unquote = (value: string): string =>
  value.startsWith('"')
    ? value.slice(1, -1).replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
    : value
