import type { FileSystem } from '../filesystem/filesystem.ts'
import type { Call } from '../http/call.ts'
import type { Logger } from '../log.ts'
import type { BodyOptions } from './body.ts'
import type { MarkMemory } from './mark-memory.ts'
import type { OpenRowFile } from './row-files.ts'

/** What every operation of the gateway works with. */
export type GatewayContext = {
  readonly fileSystem: FileSystem
  readonly openRowFile: OpenRowFile
  /** Places in files, to read on from. */
  readonly marks: MarkMemory
  readonly logger: Logger
  /** Counts and logs how a body ends, and lets `stop` abort what feeds it. */
  readonly toBodyOptions: (call: Pick<Call, 'target' | 'signal'>, stop: AbortController) => BodyOptions
  /** Counts bytes that clients sent. */
  readonly countReceived: (bytes: number) => void
}
