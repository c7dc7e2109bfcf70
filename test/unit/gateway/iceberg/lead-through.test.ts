import { describe, expect, test } from 'vitest'
import { createLead, leadEntry } from '../../../../src/gateway/iceberg/lead-through.ts'

const place = { path: '/mount/events/Click', location: 'hdfs://nn:8020/events/Click' }
const lead = createLead({ header: name => (name === 'host' ? 'h:8080' : undefined), secure: false }, place)

describe('createLead', () => {
  test.each([
    [
      'data',
      'hdfs://nn:8020/events/Click/data/a b.parquet',
      'http://h:8080/files/mount/events/Click/data/a%20b.parquet',
    ],
    ['data', 'hdfs://other/events/Click/data/f', 'http://h:8080/files/mount/events/Click/data/f'],
    // Rows may be in Avro, too.
    ['data', 'hdfs://nn:8020/events/Click/data/f.avro', 'http://h:8080/files/mount/events/Click/data/f.avro'],
    [
      'metadata',
      'hdfs://nn:8020/events/Click/metadata/m.avro',
      'http://h:8080/iceberg/files/mount/events/Click/metadata/m.avro',
    ],
  ] as const)('%s %s is found at %s', (kind, uri, want) => {
    expect(lead(uri, kind)).toBe(want)
  })

  test.each([
    'hdfs://nn:8020/events/Other/f',
    'hdfs://nn:8020/events/Click/../../secret',
    'hdfs://nn:8020/events/Clicks/f',
    'http://evil.example/f',
  ])('%s is not of the table', uri => {
    expect(() => lead(uri, 'data')).toThrow('expected files of the table below it')
  })
})

describe('leadEntry', () => {
  const entry = (status: number, content: number) => ({
    status,
    data_file: { content, file_path: `${place.location}/data/f`, referenced_data_file: `${place.location}/data/g` },
  })

  test.each([0, 1])('leads to files with rows, and with deletions by value, while they are there: %i', status => {
    for (const content of [0, 2]) {
      expect(leadEntry(entry(status, content), 'm', lead)['data_file']).toEqual({
        content,
        file_path: 'http://h:8080/files/mount/events/Click/data/f',
        referenced_data_file: 'http://h:8080/files/mount/events/Click/data/g',
      })
    }
  })

  test('refuses rows deleted by position, which would come back', () => {
    expect(() => leadEntry(entry(1, 1), 'm', lead)).toThrow('read it without warehouse=gateway')
    expect(leadEntry(entry(2, 1), 'm', lead)).toMatchObject({ status: 2 })
  })
})
