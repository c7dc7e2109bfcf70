import { connect, type Socket } from 'node:net'
import { createSlabs, release } from '../bytes/slabs.ts'
import { createFrameReader, type OnFrame } from './frames.ts'

/** Connects to where a reader listens. */
export const connectTo = (path: string, onFrame: OnFrame): Socket => {
  const slabs = createSlabs()
  const onBytes = createFrameReader(onFrame)
  const callback = (length: number): boolean => {
    const bytes = slabs.filled(length)
    onBytes(bytes)
    release(bytes)
    return true
  }
  return connect({ path, onread: { buffer: () => slabs.next(), callback } })
}
