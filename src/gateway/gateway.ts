import type { GatewayFigures } from '../beans/gateway-figures.ts'
import { createAcceptCheck } from '../contract/media-types.ts'
import type { Handlers, OperationId, Params } from '../contract/operations.ts'
import { SluiceError, toProblem } from '../errors.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { isRefusedCaller } from '../http/auth.ts'
import type { Call, Handler } from '../http/call.ts'
import type { Logger } from '../log/log.ts'
import type { BodyEnd } from './body.ts'
import type { GatewayContext, OpenRowFile } from './context.ts'
import { deletePath } from './delete-path.ts'
import { createMarkMemory, type MarkMemory } from './mark-memory.ts'
import { readBinary } from './read-binary.ts'
import { createReadBound } from './read-bound.ts'
import { readJson } from './read-json.ts'
import { readText } from './read-text.ts'
import { createTimedFileSystem } from './timed-filesystem.ts'
import { uploadFile } from './upload-file.ts'
import { viewObject } from './view-object.ts'

/** What the gateway is made of. */
export type GatewayOptions = {
  readonly fileSystem: FileSystem
  /** Makes the reader of files as rows over the file system that the gateway uses. */
  readonly openRowFile: (fileSystem: FileSystem) => OpenRowFile
  /** Places in files, to read on from. @default its own memory */
  readonly marks?: MarkMemory
  readonly figures: GatewayFigures
  readonly logger: Logger
  /** Reads that may go on at a time; beyond: 503 `overloaded`. */
  readonly maxReads: number
  /** The mount point that serves a path; `/` for the default cluster. Never throws. */
  readonly clusterOf?: (path: string) => string
  /** Monotonic, in ms. */
  readonly nowMs?: () => number
}

/** The operations for programs. */
export type Gateway = {
  readonly handlers: Pick<Handlers, 'readJson' | 'readText' | 'readBinary' | 'viewObject' | 'uploadFile' | 'deletePath'>
  /**
   * Puts the pages' handler of `browse` behind what every operation has, and the CSV of `/rest/1.0/text` in front: that
   * answers `raw=false`, and clients that take text but no HTML.
   */
  toBrowse(page: Handlers['browse']): Handlers['browse']
  /** Counts a call whose caller was refused. @returns the error */
  readonly refuse: (error: unknown, call: Call<unknown>) => unknown
}

/** Makes the operations over a file system (the gateway's specification, part 4). Each is counted. */
export const createGateway = (options: GatewayOptions): Gateway => {
  const { figures, clusterOf = () => '/' } = options
  const context = createContext(options)
  const bounded = createReadBound(options)

  const record = (op: string, { params }: Call<unknown>, code: number): void =>
    figures.record({ op, cluster: clusterOf(toPath(params)), code })
  /** Counts the answer of a handler, whatever it is. */
  const counted =
    <P>(op: OperationId, handler: Handler<P>): Handler<P> =>
    async call => {
      try {
        const response = await handler(call)
        record(op, call, response.status)
        return response
      } catch (error) {
        record(op, call, isHangUp(call) ? hangUpStatus : toProblem(error).status)
        throw isHangUp(call) ? toHangUp(error) : error
      }
    }
  type Run<P> = (context: GatewayContext, call: Call<P>) => Response | Promise<Response>
  const reading = <P>(op: OperationId, run: Run<P>): Handler<P> =>
    counted(op, call => bounded(call, more => run({ ...context, ...more(context) }, call)))
  const writing = <P>(op: OperationId, run: Run<P>): Handler<P> => counted(op, call => run(context, call))

  return {
    handlers: {
      readJson: reading('readJson', readJson),
      readText: reading('readText', (to, call: Call<Params<'readText'>>) => readText(to, call)),
      readBinary: reading('readBinary', readBinary),
      viewObject: reading('viewObject', (_, call: Call<Params<'viewObject'>>) => viewObject(call)),
      uploadFile: writing('uploadFile', uploadFile),
      deletePath: writing('deletePath', deletePath),
    },
    toBrowse: page =>
      counted('browse', call =>
        bounded(call, more =>
          wantsText(call) ? readText({ ...context, ...more(context) }, call, 'text/plain') : page(call),
        ),
      ),
    refuse: (error, call) => {
      if (isRefusedCaller(error)) record(call.operationId, call, toProblem(error).status)
      return error
    },
  }
}

/** What requests are counted under whose client went away before the answer, as nginx does. Nobody sees it. */
const hangUpStatus = 499

/** Whether the client of a call has gone: whatever fails then is nobody's fault. */
const isHangUp = ({ signal }: Pick<Call, 'signal'>): boolean => signal.aborted

/** An error of a call whose client has gone, as one that is not worth a line in the log. */
const toHangUp = (error: unknown): SluiceError =>
  error instanceof SluiceError ? error : new SluiceError('unavailable', 'The client went away', { cause: error })

/** The path that a call is about; the root where it is about none. */
const toPath = (params: unknown): string =>
  typeof params === 'object' && params !== null && 'path' in params && typeof params.path === 'string'
    ? params.path
    : '/'

const acceptsHtml = createAcceptCheck(['text/html'])

/** `raw` decides; without it, `text/plain` does where HTML is not named beside it. */
const wantsText = (call: Call<Params<'browse'>>): boolean => {
  if (call.params.raw !== undefined) return !call.params.raw
  const accept = call.header('accept')
  return !acceptsHtml(accept) || (/\btext\/plain\b/i.test(accept ?? '') && !/\bhtml\b/i.test(accept ?? ''))
}

const createContext = ({
  openRowFile,
  marks = createMarkMemory(),
  figures,
  logger,
  nowMs,
  ...options
}: GatewayOptions): GatewayContext => {
  const fileSystem = createTimedFileSystem(options.fileSystem, ms => figures.recordUpstream(ms), nowMs)
  return {
    fileSystem,
    openRowFile: openRowFile(fileSystem),
    marks,
    logger,
    toBodyOptions: (call, stop) => ({
      onEnd: end => {
        figures.addBytes('out', end.bytes)
        logFailure(logger, call, end, isHangUp(call) || stop.signal.aborted)
      },
      stop: () => stop.abort(new DOMException('The client went away', 'AbortError')),
    }),
    countReceived: bytes => figures.addBytes('in', bytes),
  }
}

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
