/**
 * Loaded into the server before its own modules, into each of its threads (`NODE_OPTIONS=--import=…`): replaces what the
 * spool writes and syncs with, and the clock of the wall, by ones that fail when the control file says so
 * (`fault-control.ts` has its layout).
 */
import fs from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { brokenAt, clockAt, controlBytes, controlVariable, fullAt } from './fault-control.ts'

/** The clock is asked far more often than the file can be. */
const readEveryMs = 2
/** Standard output and its sisters: the log of the process is not on the disk that fails. */
const lastStandardFd = 2

const { fdatasyncSync, readSync, writeSync } = fs
const now = Date.now
const file = fs.openSync(process.env[controlVariable] ?? '', 'r')
const state = Buffer.alloc(controlBytes)
let readAt = Number.NEGATIVE_INFINITY

const read = (): Buffer => {
  const at = performance.now()
  if (at - readAt >= readEveryMs) {
    readSync(file, state, 0, controlBytes, 0)
    readAt = at
  }
  return state
}

const happens = (offset: number): boolean => Math.random() * 255 < (read()[offset] ?? 0)

const failure = (code: 'EIO' | 'ENOSPC', call: string): Error =>
  Object.assign(new Error(`${code}: on purpose, ${call}`), { code, syscall: call })

/** A disk without space takes a part of the bytes, or none. */
const roomFor = (length: number): number => {
  const room = Math.floor(length * Math.max(0, Math.random() * 2 - 1))
  if (room === 0) throw failure('ENOSPC', 'write')
  return room
}

const isBytes = (data: unknown): data is Uint8Array => data instanceof Uint8Array

Object.assign(fs, {
  writeSync: (fd: number, data: Uint8Array, offset = 0, ...rest: number[]) => {
    if (fd <= lastStandardFd || !isBytes(data) || !happens(fullAt)) return writeSync(fd, data, offset, ...rest)
    const [length = data.length - offset] = rest
    return writeSync(fd, data, offset, roomFor(length))
  },
  fdatasyncSync: (fd: number) => {
    if (happens(brokenAt)) throw failure('EIO', 'fdatasync')
    fdatasyncSync(fd)
  },
})
syncBuiltinESMExports()

/** The class behind every `FileHandle`; its methods are called on the handle at hand. */
type Handles = {
  write(this: FileHandle, data: Uint8Array, offset?: number, ...rest: number[]): Promise<unknown>
  datasync(this: FileHandle): Promise<void>
}
const own = await open(process.env[controlVariable] ?? '', 'r')
const handles: Handles = Object.getPrototypeOf(own)
const original: Handles = { write: Reflect.get(handles, 'write'), datasync: Reflect.get(handles, 'datasync') }
await own.close()
Object.assign(handles, {
  async write(this: FileHandle, data: Uint8Array, offset = 0, ...rest: number[]) {
    // Texts are passed through.
    if (!isBytes(data) || !happens(fullAt)) return await original.write.call(this, data, offset, ...rest)
    const [length = data.length - offset] = rest
    return await original.write.call(this, data, offset, roomFor(length))
  },
  async datasync(this: FileHandle) {
    if (happens(brokenAt)) throw failure('EIO', 'fdatasync')
    await original.datasync.call(this)
  },
} satisfies Handles)

Date.now = () => now() + read().readDoubleLE(clockAt)
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget) as Date,
  apply: target => new target(target.now()).toString(),
})
