import type { GatewayFigures } from '../beans/gateway-figures.ts'
import type { Handlers, OperationId, Params } from '../contract/operations.ts'
import type { DelegationTokens } from '../delegation/delegation-tokens.ts'
import { SluiceError } from '../errors.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { isRefusedCaller } from '../http/auth.ts'
import type { Call, Handler, Identity } from '../http/call.ts'
import type { Logger } from '../log/log.ts'
import { toAnsweredStatus } from './answered-status.ts'
import { createWriteAudit, hangUpStatus, toPath, type Write } from './audit.ts'
import type { BodyEnd } from './body.ts'
import type { EventDirectory, ToBodyOptions } from './context.ts'
import { deletePath } from './delete-path.ts'
import { perCaller } from './per-caller.ts'
import { readBinary } from './read-binary.ts'
import { createReadBound } from './read-bound.ts'
import type { Read, Reads } from './reads.ts'
import { textParam } from './text-param.ts'
import { createTimedFileSystem } from './timed-filesystem.ts'
import { uploadFile } from './upload-file.ts'
import { viewObject } from './view-object.ts'
import { createWebHdfs } from './webhdfs/webhdfs.ts'

/** What the gateway is made of. */
export type GatewayOptions = {
  /** For what passes bytes on: it is timed by `figures`. */
  readonly fileSystem: FileSystem
  readonly reads: Reads
  readonly figures: GatewayFigures
  readonly logger: Logger
  /** Reads that may go on at a time; beyond: 503 `overloaded`. */
  readonly maxReads: number
  /** The mount point that serves a path; `/` for the default cluster. Never throws. */
  readonly clusterOf?: (path: string) => string
  /** All mount points. @default `/` */
  readonly mountPoints?: readonly string[]
  /** Who a call comes from that was refused for want of a role. @default nobody who is known */
  readonly identify?: (call: Call<unknown>) => Identity | undefined
  readonly delegationTokens: DelegationTokens
  /** What the collector knows of a directory. @default nothing */
  readonly eventsOf?: (path: string) => EventDirectory | undefined
  /** The name here of a principal of Kerberos. @default that of nobody */
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
    | 'viewObject'
    | 'browse'
    | 'uploadFile'
    | 'deletePath'
    | 'webHdfsGet'
    | 'webHdfsPut'
    | 'webHdfsPost'
    | 'webHdfsDelete'
  >
  /** Counts a call whose caller was refused, and audits it where it was to write. @returns the error */
  readonly refuse: (error: unknown, call: Call<unknown>) => unknown
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
  const toBodyOptions: ToBodyOptions = (call, stop) => ({
    onEnd: end => {
      figures.addBytes('out', end.bytes)
      logFailure(logger, call, end, isHangUp(call) || stop.signal.aborted)
    },
    stop: () => stop.abort(new DOMException('The client went away', 'AbortError')),
  })
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

  const record = (id: string, { params }: Call<unknown>, code: number): void =>
    figures.record({ op: toOp(params) ?? id, cluster: clusterOf(toPath(params)), code })
  /** Counts the answer of a handler, whatever it is. */
  const counted =
    <P>(op: OperationId, handler: Handler<P>): Handler<P> =>
    async call => {
      try {
        const response = await handler(call)
        record(op, call, response.status)
        return response
      } catch (error) {
        record(op, call, isHangUp(call) ? hangUpStatus : toAnsweredStatus(error, call))
        throw isHangUp(call) ? toHangUp(error) : error
      }
    }
  const reading = <Id extends OperationId>(op: Id, read: Read<Id>): Handler<Params<Id>> =>
    counted(op, call => bounded(call, watched => read(call, watched(toBodyOptions))))
  const audit = createWriteAudit(logger.info)
  const writing = <P>(op: OperationId, write: Write<P>): Handler<P> => counted(op, audit.audited(op, write))

  const readWebHdfs = reading('webHdfsGet', (call, to) => partsOf(call).webHdfs.webHdfsGet(call, to))
  /** A GET, and all the same something is made: whoever holds a token is as good as who got it. */
  const issue = writing<Params<'webHdfsGet'>>('webHdfsGet', (call, tell) => {
    tell({ operation: call.params.op })
    return partsOf(call).webHdfs.webHdfsGet(call, toBodyOptions)
  })

  return {
    handlers: {
      readJson: reading('readJson', reads.readJson),
      readText: reading('readText', reads.readText),
      browse: reading('browse', (call, to) => reads.browse(call, to, eventsOf(call.params.path))),
      readBinary: reading('readBinary', (call, to) =>
        readBinary({ ...partsOf(call).context, toBodyOptions: to }, call, reads.readTree),
      ),
      viewObject: reading('viewObject', viewObject),
      uploadFile: writing('uploadFile', (call, tell) => uploadFile(partsOf(call).context, call, tell)),
      deletePath: writing('deletePath', call => deletePath(partsOf(call).context, call)),
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
      return error
    },
  }
}

/** What a call of WebHDFS asks for: four operations of the contract stand for many. */
const toOp = (params: unknown): string | undefined => textParam(params, 'op')

/** Whether the client of a call has gone: whatever fails then is nobody's fault. */
const isHangUp = ({ signal }: Pick<Call, 'signal'>): boolean => signal.aborted

/** An error of a call whose client has gone, as one that is not worth a line in the log. */
const toHangUp = (error: unknown): SluiceError =>
  error instanceof SluiceError ? error : new SluiceError('unavailable', 'The client went away', { cause: error })

/** Only what the client may not be told is worth an error in the log; a broken upstream is told by a broken stream. */
const logFailure = (
  logger: Logger,
  call: Pick<Call, 'target'>,
  { error, bytes, cancelled = false }: BodyEnd,
  isHangUp: boolean,
): void => {
  if (cancelled || isHangUp) logger.debug({ target: call.target, bytes }, 'a client hung up')
  else if (error !== undefined && bytes > 0) {
    const log = error instanceof SluiceError ? logger.warn : logger.error
    log({ err: error, target: call.target, bytes }, 'an answer broke off')
  }
}
