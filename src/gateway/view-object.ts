import { Buffer } from 'node:buffer'
import type { Params } from '../contract/operations.ts'
import { FormatError, SluiceError } from '../errors.ts'
import { parseJson, stringifyJson } from '../formats/json.ts'
import type { Call } from '../http/call/call.ts'
import { dataHeaders } from './answers.ts'

/** Answers `/rest/1.0/viewer`: the JSON object of an old link, indented. */
export const viewObject = ({ params }: Call<Params<'viewObject'>>): Response => {
  const text = decode(params.object)
  try {
    const value = parseJson(text)
    if (/^\s*\{/.test(text)) {
      const headers = { ...dataHeaders, 'content-type': 'application/json' }
      return new Response(stringifyJson(value, { indent: 2 }), { headers })
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
  }
  throw new SluiceError('bad-parameter', 'Parameter "object": expected a JSON object in base 64')
}

/** Old links are escaped twice, or not at all: then a plus sign has become a space. */
const decode = (object: string): string =>
  Buffer.from(
    object.replace(/%(2B|2F|3D)/gi, escaped => decodeURIComponent(escaped)).replaceAll(' ', '+'),
    'base64',
  ).toString('utf8')
