import { expect, test } from 'vitest'
import { findLog } from '../../../../admin/cli/spool/find-log.ts'

const id = 'a'.repeat(32)
const clusters: Readonly<Record<string, string>> = {
  '/': 'hdfs://nn:8020',
  '/far': 'hdfs://other:8020',
  '/lake': 's3://bucket/prefix',
  '/deep': 's3://bucket/prefix/deep',
  '/raw': 's3://raw',
}
const table = { mountPoints: Object.keys(clusters), urlOf: (path: string) => clusters[path] ?? '' }

test.each([
  [`hdfs://nn:8020/events/_log/${id}`, '/events', 'hdfs://nn:8020/events'],
  [`hdfs://other:8020/events/_log/${id}`, '/far/events', 'hdfs://other:8020/events'],
  [`s3://bucket/prefix/events/_log/${id}`, '/lake/events', 's3://bucket/prefix/events'],
  [`s3://bucket/prefix/a%20b/_log/${id}.${id}`, '/lake/a b', 's3://bucket/prefix/a%20b'],
  [`s3://bucket/prefix/deep/events/_log/${id}`, '/deep/events', 's3://bucket/prefix/deep/events'],
  [`s3://bucket/prefix/deeper/_log/${id}`, '/lake/deeper', 's3://bucket/prefix/deeper'],
  [`s3://raw/events/_log/${id}`, '/raw/events', 's3://raw/events'],
])('%s is a log of %s', (url, outputDirectory, outputUrl) => {
  expect(findLog(url, table)).toMatchObject({ outputDirectory, outputUrl, owner: { id } })
})

test.each([
  [`s3://bucket/prefixed/events/_log/${id}`, 'destination'],
  [`s3://another/events/_log/${id}`, 'destination'],
  ['s3://bucket/prefix/events/_log', 'usage'],
  [`s3://raw/events/${id}`, 'usage'],
])('%s is none', (url, code) => {
  expect(() => findLog(url, table)).toThrow(expect.objectContaining({ code }))
})
