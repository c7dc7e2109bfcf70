/** Why a replica, or a pipeline of them, cannot be used. */
export class ReplicaError extends Error {
  override readonly name = 'ReplicaError'
  /** `corrupt`: its bytes are not those that were written. `token`: what lets us read it is not taken any more. */
  readonly reason: 'corrupt' | 'token' | 'refused'
  /** `host:port` of the node that is to blame, where it is another than the one that says so. */
  readonly badNode: string | undefined

  constructor(reason: ReplicaError['reason'], message: string, badNode?: string) {
    super(message)
    this.reason = reason
    this.badNode = badNode
  }
}
