import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import type { Call } from '../http/call.ts'
import type { Logger } from '../log/log.ts'
import type { Mark, Reading } from '../rows/reading.ts'
import type { BodyOptions } from './body.ts'
import type { MarkMemory } from './mark-memory.ts'

/** Opens a file as rows, with everything but the file already chosen. */
export type OpenRowFile = (
  status: FileStatus,
  options: { readonly raw: boolean; readonly signal: AbortSignal; readonly from?: Mark | undefined },
) => Promise<Reading>

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
