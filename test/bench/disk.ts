import { closeSync, fdatasyncSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createHistogram } from './histogram.ts'

/** What the disk itself takes to append one event and make it safe, in ms. */
export type DiskTimes = { readonly p50Ms: number; readonly p99Ms: number }

const writes = 300
/** A slow disk is measured with fewer writes. */
const maxMs = 2_000
const bytesPerWrite = 512

/** Appends and `fdatasync`s one small record after the other. */
export const measureDisk = (directory: string): DiskTimes => {
  const path = join(directory, 'disk.tmp')
  const fd = openSync(path, 'a')
  const times = createHistogram()
  const record = Buffer.alloc(bytesPerWrite, 'x')
  const endsAt = performance.now() + maxMs
  try {
    for (let i = 0; i < writes && performance.now() < endsAt; i++) {
      const startedAt = performance.now()
      writeSync(fd, record)
      fdatasyncSync(fd)
      times.record(performance.now() - startedAt)
    }
  } finally {
    closeSync(fd)
    unlinkSync(path)
  }
  return { p50Ms: times.percentile(0.5), p99Ms: times.percentile(0.99) }
}
