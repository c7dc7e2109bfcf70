import type { DatanodeInfo } from '../name-node/messages.ts'

/** How a data node is found: at its address, or by its name where that is asked for (`dfs.client.use.datanode.hostname`). */
export const hostOf = (
  { ipAddr, hostName }: DatanodeInfo['id'],
  { usesHostnames = false }: { readonly usesHostnames?: boolean | undefined },
): string => (usesHostnames && hostName ? hostName : ipAddr)

/** `address:port`, by which data nodes speak of each other. */
export const xferAddrOf = ({ id }: DatanodeInfo): string => `${id.ipAddr}:${id.xferPort}`
