/**
 * The name of a bucket file begins with the time at which the first event of its segment was kept, and the id of the collector:
 * those of one collector are in the order of their segments.
 */
import { maxEventDate } from '../bucket.ts'

/** `yyyyMMddTHHmmss.SSSZ` in UTC: sorts by time. Whatever the record holds, the segment gets a name. */
export const toSince = (ms = 0): string =>
  new Date(ms >= 0 && ms <= maxEventDate ? ms : 0).toISOString().replaceAll(/[-:]/g, '')

/** What a name says; undefined for one of another kind. */
export const parseSince = (name: string): { readonly since: string; readonly collectorId: string } | undefined => {
  const [, since, collectorId] = /^(\d{8}T\d{6}\.\d{3}Z)-([\da-f]{32})-/.exec(name) ?? []
  return since === undefined || collectorId === undefined ? undefined : { since, collectorId }
}
