import type { Disk } from '../../disk/disk.ts'
import { FormatError } from '../../errors.ts'
import type { FieldsOf } from '../parquet/event-schema.ts'
import { openSchemaStore, type SchemaStore } from '../parquet/schema-store.ts'
import type { TableOf } from '../parquet/table-columns.ts'
import type { BucketBounds } from './bucket-bounds.ts'
import { type SealRequest, type SealResult, writeSegment } from './seal.ts'
import { TableChanged } from './settle-tables.ts'

/** What is done with segments, and what of them is remembered. */
export type Sealing = {
  /** As many calls as it takes at a time. */
  readonly atOnce: number
  /** Turns a segment into bucket files. */
  readonly seal: (request: SealRequest) => Promise<SealResult>
  /** Forgets the columns that the files of an event type have had: the next files infer them again. */
  readonly forget: (eventName: string) => Promise<void>
}

/** So often a segment is begun for tables that change meanwhile. */
const maxRounds = 10

/** The columns as they were at an edition; undefined: whatever the next segment's is. */
type Known = { readonly edition: number | undefined; readonly schemas: Promise<SchemaStore> }

/**
 * Seals the segments of a disk, one at a time. Columns that other sealers of the same spool learn are on the disk, and
 * are read again as soon as a segment is of another edition than the one before.
 * @param fieldsOf what a schema registry knows of an event type @default nothing
 * @param tableOf the state of an event type's table @default no table
 */
export const createSealing = (
  disk: Disk,
  fieldsOf: FieldsOf = async () => undefined,
  bounds: BucketBounds = {},
  tableOf?: TableOf,
): Sealing => {
  let known: Known | undefined
  let isAhead = false
  /** Also where it is saved: until then it may be blamed on the event that caused it. */
  const checkTurn = (): void => {
    if (isAhead) throw new Error('A segment that is sealed ahead of its turn has columns that are new')
  }
  const open = (edition: number | undefined): Promise<SchemaStore> => {
    const isCurrent = edition === undefined || known?.edition === edition
    if (!known || !isCurrent) known = { edition, schemas: openSchemaStore(disk, fieldsOf, checkTurn, tableOf) }
    return known.schemas
  }
  const remembering = async <T>(task: Promise<T>): Promise<T> => {
    try {
      return await task
    } catch (error) {
      // What was learned meanwhile, and not remembered, is in no file.
      known = undefined
      throw error
    }
  }
  const writeSettled = async (request: SealRequest, schemas: SchemaStore | undefined): Promise<SealResult> => {
    for (let round = 1; ; round++) {
      try {
        return await writeSegment(disk, request, schemas, bounds)
      } catch (error) {
        // The first time all that is new is found; the result may be new once more, to some depth.
        if (!(error instanceof TableChanged) || round === maxRounds) throw error
      }
    }
  }
  const seal = async (request: SealRequest): Promise<SealResult> => {
    const { edition, format } = request
    isAhead = request.isAhead === true
    const result = await writeSettled(request, format === 'parquet' ? await open(edition) : undefined)
    if (known && edition !== undefined && result.hasLearned) known = { ...known, edition: edition + 1 }
    return result
  }
  const forget = async (eventName: string): Promise<void> => {
    // Others may have learned since.
    known = undefined
    isAhead = false
    await (await open(undefined)).forget(eventName)
  }
  /**
   * An event that was accepted unparsed, and turns out not to be JSON, is set aside by itself where it was read before.
   */
  const sealCarefully = async (request: SealRequest): Promise<SealResult> => {
    try {
      return await remembering(seal(request))
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      return await remembering(seal({ ...request, asValues: true }))
    }
  }
  return {
    atOnce: 1,
    seal: sealCarefully,
    forget: eventName => remembering(forget(eventName)),
  }
}
