import { resolve } from 'node:path'
import type { Settings } from '../config/table.ts'
import type { MountTable } from '../filesystem/mounts.ts'
import { createMarkMemory } from '../gateway/mark-memory.ts'
import { createAheadMemory } from '../gateway/open-ahead.ts'
import { createBrowse } from '../gateway/pages/browse.ts'
import { createFrames, toProof } from '../gateway/pages/frames.ts'
import { perCaller } from '../gateway/per-caller.ts'
import { createReads, type Reads } from '../gateway/reads.ts'
import { createTimedFileSystem } from '../gateway/timed-filesystem.ts'
import type { Logger } from '../log/log.ts'
import { createOpenRows } from '../rows/create-open-rows.ts'
import { loadRowSerializers, loadSerializations } from '../rows/load-serializers.ts'
import type { Registrar } from '../rows/registrar.ts'

export type ReadsOptions = {
  readonly settings: Settings
  readonly logger: Logger
  readonly fileSystem: MountTable
  readonly registrar: Registrar
  readonly onUpstream: (ms: number) => void
  /** Hears of a file before it is read as rows. */
  readonly onOpen?: (path: string) => void
}

/**
 * Makes what looks into files, for this process.
 * @throws Error naming a module of `io.…serializations` that cannot be used
 */
export const createLocalReads = async (options: ReadsOptions): Promise<Reads> => {
  const { settings, logger, registrar, onOpen } = options
  const from = { directory: resolve('.') }
  const serializers = await loadRowSerializers(settings['io.row.serializations'], from)
  const openRows = createOpenRows({
    serializations: await loadSerializations(settings['io.serializations'], from),
    limits: { maxValues: settings['gateway.max-values-per-row'], maxBytes: settings['gateway.max-row-bytes'] },
  })
  const frames = createFrames({ fileSystem: options.fileSystem, proof: toProof(settings), console: settings })
  const trashOf = settings['gateway.trash'] > 0 ? options.fileSystem.mountOf : undefined
  const shared = { marks: createMarkMemory(), ahead: createAheadMemory(), logger }
  const readsOf = perCaller(options.fileSystem, own => {
    const fileSystem = createTimedFileSystem(own, options.onUpstream)
    const context = {
      ...shared,
      fileSystem,
      openRowFile: (status, more) => {
        onOpen?.(status.path)
        return openRows({ fileSystem, status, registrar, serializers, ...more })
      },
    } satisfies Parameters<typeof createReads>[0]
    return createReads(context, createBrowse(context, frames, Date.now, trashOf))
  })
  return {
    readJson: (call, to) => readsOf(call).readJson(call, to),
    readText: (call, to) => readsOf(call).readText(call, to),
    readTree: (call, to) => readsOf(call).readTree(call, to),
    browse: (call, to, columns) => readsOf(call).browse(call, to, columns),
    walkWebHdfs: (call, to) => readsOf(call).walkWebHdfs(call, to),
  }
}
