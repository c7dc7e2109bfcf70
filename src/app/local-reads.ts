import { resolve } from 'node:path'
import type { FixedSettings } from '../config/table.ts'
import { toTrashMinutes } from '../config/trash.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import type { MountTable } from '../filesystem/mounts.ts'
import { createRewriteMemory } from '../gateway/iceberg/rewrite-memory.ts'
import { createAheadMemory } from '../gateway/open-ahead.ts'
import { createBrowse } from '../gateway/pages/browse.ts'
import { createFrames, toProof } from '../gateway/pages/frame/frames.ts'
import { perCaller } from '../gateway/per-caller.ts'
import { createReads, type Reads } from '../gateway/reads.ts'
import { createMarkMemory } from '../gateway/rows/mark-memory.ts'
import { createCatalogService } from '../gateway/tables/catalog-service.ts'
import { createTableDirectories } from '../gateway/tables/table-directories.ts'
import { createTimedFileSystem } from '../gateway/timed-filesystem.ts'
import type { Logger } from '../log/log.ts'
import type { OpenedFile } from '../readers/suspicion.ts'
import { createOpenRows } from '../rows/create-open-rows.ts'
import { toRowLimits } from '../rows/limits.ts'
import type { Registrar } from '../rows/registrar/registrar.ts'
import { loadRowSerializers, loadSerializations } from '../rows/serializers/load-serializers.ts'
import { hideLogs } from '../spool/replica/log-directory.ts'
import { toCatalogSettings } from '../spool/to-spool-settings.ts'

export type ReadsOptions = {
  readonly settings: FixedSettings
  readonly logger: Logger
  readonly fileSystem: MountTable
  readonly registrar: Registrar
  readonly onUpstream: (ms: number) => void
  /** Hears of a file before it is opened as rows, or as metadata of a table. */
  readonly onOpen?: (path: string) => void
  /** Hears of it before its rows are read, which wait for this. */
  readonly onOpened?: (file: OpenedFile) => Promise<void>
}

/**
 * Makes what looks into files, for this process.
 * @throws Error naming a module of `io.…serializations` that cannot be used
 */
export const createLocalReads = async (options: ReadsOptions): Promise<Reads> => {
  const { settings, logger, registrar, onOpen, onOpened } = options
  const from = { directory: resolve('.') }
  const serializers = await loadRowSerializers(settings['io.row.serializations'], from)
  const openRows = createOpenRows({
    serializations: await loadSerializations(settings['io.serializations'], from),
    limits: toLimits(settings),
    // The rest is for rows, and for what others read.
    pageMemory: {
      max: Math.floor(settings['gateway.reader-memory-bytes'] / 2),
      setting: 'gateway.reader-memory-bytes',
    },
    windows: { max: settings['gateway.max-window-bytes'], setting: 'gateway.max-window-bytes' },
  })
  const shown = hideLogs(options.fileSystem, settings['collector.event-output-directory'])
  const frames = createFrames({ fileSystem: shown, proof: toProof(settings), console: settings })
  const catalog = toCatalogSettings(settings)
  const directory = settings['collector.event-output-directory']
  const service = catalog && createCatalogService({ settings: catalog, fileSystem: shown, directory })
  const trashOf = toTrashMinutes(settings) > 0 ? shown.mountOf : undefined
  const shared = { marks: createMarkMemory(), ahead: createAheadMemory(), rewritten: createRewriteMemory(), logger }
  const readsOf = perCaller(shown, own => {
    const fileSystem = tellMetadata(createTimedFileSystem(own, options.onUpstream), onOpen)
    const context = {
      ...shared,
      fileSystem,
      tables: createTableDirectories(fileSystem, service),
      openRowFile: async (status, more) => {
        const { path, length: size, modificationTime: modified } = status
        onOpen?.(path)
        const reading = await openRows({ fileSystem, status, registrar, serializers, ...more })
        await onOpened?.({ path, size, modified, unfolded: reading.unfolded })
        return reading
      },
    } satisfies Parameters<typeof createReads>[0]
    return createReads(context, createBrowse(context, frames, Date.now, trashOf))
  })
  return {
    readJson: (call, to) => readsOf(call).readJson(call, to),
    readText: (call, to) => readsOf(call).readText(call, to),
    readTree: (call, to) => readsOf(call).readTree(call, to),
    browse: (call, to) => readsOf(call).browse(call, to),
    walkWebHdfs: (call, to) => readsOf(call).walkWebHdfs(call, to),
    icebergGet: (call, to) => readsOf(call).icebergGet(call, to),
    icebergFile: (call, to) => readsOf(call).icebergFile(call, to),
  }
}

/** Metadata and manifests of tables are decoded as a whole: that, too, may end a process. */
const tellMetadata = (fileSystem: FileSystem, onOpen: ReadsOptions['onOpen']): FileSystem => ({
  ...fileSystem,
  open: (path, more) => {
    if (/\/metadata\/[^/]+\.(?:avro|json)$/.test(path)) onOpen?.(path)
    return fileSystem.open(path, more)
  },
})

/** What one row may hold, named for the setting that says so. */
const toLimits = (settings: FixedSettings): ReturnType<typeof toRowLimits> => {
  const limits = toRowLimits(settings['gateway.reader-memory-bytes'])
  const { 'gateway.max-values-per-row': values, 'gateway.max-row-bytes': bytes } = settings
  return {
    ...limits,
    ...(values === undefined ? {} : { values: { max: values, setting: 'gateway.max-values-per-row' } }),
    ...(bytes === undefined ? {} : { bytes: { max: bytes, setting: 'gateway.max-row-bytes' } }),
  }
}
