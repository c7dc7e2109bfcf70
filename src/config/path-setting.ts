import { Expected, type RawValue, type Setting, toText } from './setting.ts'

/** An absolute path of a file system in its one spelling: all that is derived of it has one place. */
export const path = (fallback: string, words: Pick<Setting<unknown>, 'sentence'>): Setting<string> => ({
  type: 'path',
  default: fallback,
  parse: parsePathSetting,
  ...words,
})

const parsePathSetting = (raw: RawValue): string => {
  const names = toText(raw).split('/')
  if (names[0] !== '' || names.includes('..') || names.some(name => name.includes('\0')))
    throw new Expected('an absolute path without ".."')
  return `/${names.filter(name => name !== '' && name !== '.').join('/')}`
}
