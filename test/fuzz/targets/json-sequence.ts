import { splitJsonSequence } from '../../../src/formats/json-sequence.ts'

export const name = 'json-sequence'

const event = '{"eventName":"A","payload":{"x":[1,-2.5e3,true,null,"\\u00e9\\"{"]}}'

export const corpus = (): Uint8Array[] =>
  [
    `${event}${event}`,
    `[${event},${event}`,
    `${event}\n{"eventName":"B","payl${event}`,
    `[{"a":"[{"a":"`,
    `{":{":{":{",":{`,
    'oops " [] {}',
  ].map(text => Buffer.from(text))

/** Values parse, are in order without overlap, and are found in linear work. */
export const run = (bytes: Uint8Array): void => {
  const text = Buffer.from(bytes).toString('utf8')
  const work = { characters: 0 }
  let at = 0
  let index = 0
  for (const item of splitJsonSequence(text, { work })) {
    if (item.offset < at) throw new Error(`an item at ${item.offset} follows what ends at ${at}`)
    at = item.offset
    if (item.kind !== 'empty' && item.index !== index++) throw new Error(`index ${item.index} is not ${index - 1}`)
    if (item.kind !== 'value') continue
    JSON.parse(item.text)
    if (text.slice(at, at + item.text.length) !== item.text) throw new Error('a value is not what stands there')
    at += item.text.length
  }
  if (work.characters > 24 * text.length + 64) throw new Error(`${work.characters} steps for ${text.length} characters`)
}
