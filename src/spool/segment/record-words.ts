/**
 * The words of a record (see `record.ts`) and their numbers on disk. They are written out, because the order of a list
 * must not matter: a number always keeps its word, and a new word gets an unused number.
 */
import { FormatError } from '../../errors.ts'
import { type Api, apis, apiTable } from '../apis.ts'
import { type BodyFormat, bodyFormats, type Granularity, granularities } from '../batch.ts'

export const bodyFormatCodes: Codes<BodyFormat> = { json: 0, smile: 1, thrift: 2 }

export const granularityCodes: Codes<Granularity> = {
  MINUTE: 0,
  HOURLY: 1,
  DAILY: 2,
  WEEKLY: 3,
  MONTHLY: 4,
  YEARLY: 5,
}

type Codes<Word extends string> = { readonly [Each in Word]: number }

/** The word of a number; undefined for one that only a later version knows. */
type Reader<Word> = (code: number) => Word | undefined

const readerOf = <Word extends string>(all: readonly Word[], codeOf: (word: Word) => number): Reader<Word> => {
  const words: Word[] = []
  for (const word of all) words[codeOf(word)] = word
  return code => words[code]
}

/** Of a way in that is not known: one of a later version, in a record that this one has written again. */
const unknownApi = 255

/** Nothing but figures depends on it. */
export const toApiCode = (api: Api | undefined): number => (api === undefined ? unknownApi : apiTable[api].code)

export const toApi = readerOf(apis, toApiCode)
export const toBodyFormat = readerOf(bodyFormats, format => bodyFormatCodes[format])
export const toGranularity = readerOf(granularities, granularity => granularityCodes[granularity])

/** Reads a word. @throws FormatError for a number that this version does not know */
export const readWord = <Word>(reader: Reader<Word>, code: number, offset: number): Word => {
  const word = reader(code)
  if (word === undefined) throw new FormatError('spool record', offset, `${code} stands for no word of this version`)
  return word
}
