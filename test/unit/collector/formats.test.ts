import { expect, test } from 'vitest'
import { doorNames } from '../../../src/collector/doors/door-names.ts'
import { doorFormats } from '../../../src/collector/formats/doors.ts'
import { apiOfRequest, intakeFormats, toFormat } from '../../../src/collector/formats/formats.ts'
import type { IntakeFormat } from '../../../src/collector/formats/intake-format.ts'
import { queryFormats } from '../../../src/collector/formats/query.ts'
import { settingOf } from '../../../src/config/table.ts'
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

test('each API is one of a format, or of Scribe', () => {
  const found = [...intakeFormats, ...Object.values(doorFormats), ...Object.values(queryFormats)].map(({ api }) => api)
  expect([...new Set([...found, 'SCRIBE_API'])].toSorted()).toEqual(apis.toSorted())
})

test('the doors of the setting are those of the collector', () => {
  expect(settingOf('collector.doors').parse([...doorNames])).toEqual(doorNames)
  const formats: readonly IntakeFormat[] = [...intakeFormats, ...Object.values(doorFormats)]
  expect(new Set(formats.flatMap(({ door, named }) => [door, named?.door]))).toEqual(new Set([undefined, ...doorNames]))
})

const all = new Set(doorNames)
const typed = (type: string | undefined) => ({ header: (name: string) => (name === 'content-type' ? type : undefined) })

test.each(
  intakeFormats
    .flatMap(format => format.mediaTypes.map(type => [type, format] as const))
    .filter(([type]) => type !== '*/*'),
)('%s chooses its format in any case, with parameters or without', (type, format) => {
  const sent = type.replace('*', 'Thrift')
  for (const header of [sent, sent.toUpperCase(), ` ${sent} ; charset=utf-8`]) {
    expect(toFormat(typed(header), false, all)).toBe(format)
    expect(toFormat(typed(header), true, all)).toBe(format.named ?? format)
    expect(apiOfRequest('postEvent', typed(header))).toBe(format.api)
  }
})

test('a request counts alike with and without a name', () => {
  for (const { api, named } of intakeFormats) expect(named?.api ?? api).toBe(api)
})

test.each([undefined, '', ' ; charset=utf-8'])('a body of the type %o is a field list', header => {
  expect(
    [toFormat(typed(header), false, all), toFormat(typed(header), true, all)].map(({ api, parameters }) => [
      api,
      parameters,
    ]),
  ).toEqual([
    ['POST_ThriftLegacy_API', 'name-and-date'],
    ['POST_ThriftLegacy_API', 'name-and-date'],
  ])
  expect(apiOfRequest('postEvent', typed(header))).toBe('POST_ThriftLegacy_API')
})

test.each(['image/png', 'application', '*/*', 'x', 'constructor'])('%s counts as JSON', header => {
  expect(apiOfRequest('postEvent', typed(header))).toBe('POST_Json_API')
})

test('an operation without a body counts by itself, whatever its type', () => {
  expect(apiOfRequest('getEventV1', typed('application/smile'))).toBe('GET_API')
  expect(apiOfRequest('getEventV2', typed(undefined))).toBe('GET_Base64_API')
  expect(apiOfRequest('constructor', typed(undefined))).toBe('POST_ThriftLegacy_API')
})
