/**
 * The file by which a run tells the server under test, through `faults-preload.ts`, what goes wrong in it:
 *
 *     0   8 bytes  double, little endian: by how many ms the clock of the wall is wrong
 *     8   1 byte   share of writes that find no space, in 255ths
 *     9   1 byte   share of syncs that fail with EIO, in 255ths
 */
import { closeSync, openSync, writeSync } from 'node:fs'

/** Length of the file. */
export const controlBytes = 10
export const clockAt = 0
export const fullAt = 8
export const brokenAt = 9

/** Names the file to the server's process. */
export const controlVariable = 'ORACLE_CONTROL'

export type ProcessFaults = {
  readonly clockShiftMs: number
  /** 0 to 1. */
  readonly fullShare: number
  readonly brokenShare: number
}

export type FaultControl = {
  /** Changes some of it, at once and for all threads. */
  set(faults: Partial<ProcessFaults>): void
  close(): void
}

/** Makes the file: nothing goes wrong yet. */
export const createFaultControl = (path: string): FaultControl => {
  const fd = openSync(path, 'w')
  let now: ProcessFaults = { clockShiftMs: 0, fullShare: 0, brokenShare: 0 }
  const set = (faults: Partial<ProcessFaults>): void => {
    now = { ...now, ...faults }
    const bytes = Buffer.alloc(controlBytes)
    bytes.writeDoubleLE(now.clockShiftMs, clockAt)
    bytes[fullAt] = Math.round(now.fullShare * 255)
    bytes[brokenAt] = Math.round(now.brokenShare * 255)
    writeSync(fd, bytes, 0, controlBytes, 0)
  }
  set({})
  return { set, close: () => closeSync(fd) }
}
