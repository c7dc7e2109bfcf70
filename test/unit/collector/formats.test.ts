import { expect, test } from 'vitest'
import { apiOfRequest, intakeFormats, toFormat } from '../../../src/collector/formats/formats.ts'
import { queryFormats } from '../../../src/collector/formats/query.ts'
import { apis } from '../../../src/spool/apis.ts'
import { contract } from '../contract/fixture.ts'

const declared = Object.keys(contract.operations.find(({ id }) => id === 'postEvent')?.requestContent ?? {})

test('each media type of the contract is one of one format, and the other way round', () => {
  expect(intakeFormats.flatMap(({ mediaTypes }) => mediaTypes).toSorted()).toEqual(declared.toSorted())
})

test('the operations of query formats are those of the contract that take an event without a body', () => {
  const operations = contract.operations.filter(({ tag, method }) => tag === 'events' && method === 'GET')
  expect(Object.keys(queryFormats).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
})

test('each API is one of one format, or of Scribe', () => {
  const found = [...intakeFormats, ...Object.values(queryFormats)].map(({ api }) => api)
  expect([...found, 'SCRIBE_API'].toSorted()).toEqual(apis.toSorted())
})

test.each(intakeFormats.flatMap(format => format.mediaTypes.map(type => [type, format] as const)))(
  '%s chooses its format in any case, with parameters or without',
  (type, format) => {
    const sent = type.replace('*', 'Thrift')
    for (const header of [sent, sent.toUpperCase(), ` ${sent} ; charset=utf-8`]) {
      expect(toFormat(header, false)).toBe(format)
      expect(toFormat(header, true)).toBe(format.named ?? format)
      expect(apiOfRequest('postEvent', header)).toBe(format.api)
    }
  },
)

test('a request counts alike with and without a name', () => {
  for (const { api, named } of intakeFormats) expect(named?.api ?? api).toBe(api)
})

test.each([undefined, '', ' ; charset=utf-8'])('a body of the type %o is a field list', header => {
  expect([toFormat(header, false), toFormat(header, true)].map(({ api, parameters }) => [api, parameters])).toEqual([
    ['POST_ThriftLegacy_API', 'name-and-date'],
    ['POST_ThriftLegacy_API', 'name-and-date'],
  ])
  expect(apiOfRequest('postEvent', header)).toBe('POST_ThriftLegacy_API')
})

test.each(['image/png', 'application', '*/*', 'x', 'constructor'])('%s counts as JSON', header => {
  expect(apiOfRequest('postEvent', header)).toBe('POST_Json_API')
})

test('an operation without a body counts by itself, whatever its type', () => {
  expect(apiOfRequest('getEventV1', 'application/smile')).toBe('GET_API')
  expect(apiOfRequest('getEventV2', undefined)).toBe('GET_Base64_API')
  expect(apiOfRequest('constructor', undefined)).toBe('POST_ThriftLegacy_API')
})
