import type { Handlers, OperationId, Params } from '../contract/operations.ts'
import type { Current } from '../current.ts'
import type { DelegationTokens } from '../delegation/delegation-tokens.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { isRefusedCaller } from '../http/auth/auth.ts'
import type { Call, Handler, Identity } from '../http/call/call.ts'
import type { Logger } from '../log/log.ts'
import { createAnswerCount, toOp } from './answer-count.ts'
import { toAnsweredStatus } from './answered-status.ts'
import { createWriteAudit, type Write } from './audit.ts'
import { createToBodyOptions } from './body-end.ts'
import { readBinary } from './bytes/read-binary.ts'
import { readByLink } from './bytes/read-by-link.ts'
import type { EventDirectory } from './context.ts'
import type { GatewayFigures } from './figures.ts'
import { getCatalogConfig } from './iceberg/read-catalog.ts'
import { perCaller } from './per-caller.ts'
import { createReadBound } from './read-bound.ts'
import type { Read, Reads } from './reads.ts'
import { createTimedFileSystem } from './timed-filesystem.ts'
import { viewObject } from './view-object.ts'
import { createWebHdfs } from './webhdfs/webhdfs.ts'
import { withParams } from './with-params.ts'
import { deletePath } from './write/delete-path.ts'
import { uploadFile } from './write/upload-file.ts'

/** The dependencies of the gateway. */
export type GatewayOptions = {
  /** For what passes bytes on: it is timed by `figures`. */
  readonly fileSystem: FileSystem
  readonly reads: Reads
  readonly figures: GatewayFigures
  readonly logger: Logger
  /** The most concurrent reads; beyond: 503 `overloaded`. */
  readonly maxReads: Current<number>
  /** The mount point that serves a path; `/` for the default cluster. Never throws. */
  readonly clusterOf?: (path: string) => string
  /** All mount points. @default `/` */
  readonly mountPoints?: readonly string[]
  /** The caller of a call that was refused for lack of a role. @default unknown */
  readonly identify?: (call: Call<unknown>) => Identity | undefined
  readonly delegationTokens: DelegationTokens
  /** What the collector knows of a directory. @default nothing */
  readonly eventsOf?: (path: string) => EventDirectory | undefined
  /** The name here of a Kerberos principal. @default none */
  readonly nameOf?: (principal: string) => string | undefined
  /** Monotonic, in ms. */
  readonly nowMs?: () => number
}

/** The operations on files. */
export type Gateway = {
  readonly handlers: Pick<
    Handlers,
    | 'readJson'
    | 'readText'
    | 'readBinary'
    | 'readFile'
    | 'viewObject'
    | 'browse'
    | 'uploadFile'
    | 'deletePath'
    | 'webHdfsGet'
    | 'webHdfsPut'
    | 'webHdfsPost'
    | 'webHdfsDelete'
    | 'icebergConfig'
    | 'icebergGet'
    | 'icebergFile'
  >
  /** Counts a call whose caller was refused, and audits it where it was to write. @throws the error */
  readonly refuse: (error: unknown, call: Call<unknown>) => never
}

/** Makes the operations over a file system (the gateway's specification, part 4). Each is counted, and each write leaves a line in the log. */
export const createGateway = (options: GatewayOptions): Gateway => {
  const {
    figures,
    reads,
    logger,
    clusterOf = () => '/',
    identify = () => undefined,
    eventsOf = () => undefined,
  } = options
  const bounded = createReadBound(options)
  const toBodyOptions = createToBodyOptions({ figures, logger })
  const partsOf = perCaller(options.fileSystem, own => {
    const context = {
      fileSystem: createTimedFileSystem(own, ms => figures.recordUpstream(ms), options.nowMs),
      toBodyOptions,
      countReceived: (bytes: number): void => figures.addBytes('in', bytes),
    }
    const { delegationTokens, mountPoints = ['/'], nameOf = () => undefined } = options
    const webHdfs = createWebHdfs({
      ...context,
      mountOf: clusterOf,
      mountPoints,
      walk: reads.walkWebHdfs,
      delegationTokens,
      nameOf,
    })
    return { context, webHdfs }
  })

  const { record, counted } = createAnswerCount({ figures, clusterOf })
  const reading = <Id extends OperationId>(op: Id, read: Read<Id>): Handler<Params<Id>> =>
    counted(op, call => bounded(call, watched => read(call, watched(toBodyOptions))))
  const audit = createWriteAudit(logger.info)
  const writing = <P>(op: OperationId, write: Write<P>): Handler<P> => counted(op, audit.audited(op, write))

  const readWebHdfs = reading('webHdfsGet', (call, to) => partsOf(call).webHdfs.webHdfsGet(call, to))
  /** A GET that creates something all the same: any holder of a token has its permissions. */
  const issue = writing<Params<'webHdfsGet'>>('webHdfsGet', (call, tell) => {
    tell({ operation: call.params.op })
    return partsOf(call).webHdfs.webHdfsGet(call, toBodyOptions)
  })

  return {
    handlers: {
      readJson: reading('readJson', reads.readJson),
      readText: reading('readText', reads.readText),
      browse: reading('browse', (call, to) =>
        reads.browse(withParams(call, 'browse', { ...call.params, events: eventsOf(call.params.path) }), to),
      ),
      readBinary: reading('readBinary', (call, to) =>
        readBinary({ ...partsOf(call).context, toBodyOptions: to }, call, reads.readTree),
      ),
      readFile: reading('readFile', (call, to) => readByLink({ ...partsOf(call).context, toBodyOptions: to }, call)),
      viewObject: reading('viewObject', viewObject),
      uploadFile: writing('uploadFile', (call, tell) => uploadFile(partsOf(call).context, call, tell)),
      deletePath: writing('deletePath', call => deletePath(partsOf(call).context, call)),
      icebergConfig: counted('icebergConfig', getCatalogConfig),
      icebergGet: reading('icebergGet', reads.icebergGet),
      icebergFile: reading('icebergFile', reads.icebergFile),
      webHdfsGet: call => (call.params.op === 'GETDELEGATIONTOKEN' ? issue(call) : readWebHdfs(call)),
      webHdfsPut: writing('webHdfsPut', (call, tell) => partsOf(call).webHdfs.webHdfsPut(call, tell)),
      webHdfsPost: writing('webHdfsPost', (call, tell) => partsOf(call).webHdfs.webHdfsPost(call, tell)),
      webHdfsDelete: writing('webHdfsDelete', (call, tell) => partsOf(call).webHdfs.webHdfsDelete(call, tell)),
    },
    refuse: (error, call) => {
      if (isRefusedCaller(error)) {
        record(call.operationId, call, toAnsweredStatus(error, call))
        audit.refused(error, call, identify(call), toOp(call.params))
      }
      throw error
    },
  }
}
