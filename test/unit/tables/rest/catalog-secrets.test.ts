import { expect, test } from 'vitest'
import { describeAnswer } from '../../../../src/tables/rest/catalog-http.ts'

const secret = 'p"\\ä ö/+=&%!\'()~*'

test.each<[string, (text: string) => string]>([
  ['as it is', text => text],
  ['in JSON', text => JSON.stringify({ a: text }).slice(6, -2)],
  ['in a URL', encodeURIComponent],
  ['in a form', text => new URLSearchParams([['a', text]]).toString().slice(2)],
  ['in base64', text => Buffer.from(text).toString('base64')],
])('a secret that an answer repeats %s is hidden, wherever it stands', (_, toForm) => {
  const said = `no ${toForm(secret)}, no ${toForm(secret)}.`
  const inner = { status: 401, json: { error: { type: said, message: said } }, secrets: ['other', secret] }
  const shown = 'no (hidden), no (hidden).'
  expect(describeAnswer(inner).text).toBe(`status 401, ${shown}, ${shown}`)
  const flat = { status: 400, json: { error: said, error_description: said }, secrets: [secret] }
  expect(describeAnswer(flat).text).toBe(`status 400, ${shown}, ${shown}`)
})
