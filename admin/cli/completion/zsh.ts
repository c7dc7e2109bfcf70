import type { CompletionPlace } from './plan.ts'
import { toFunctions } from './posix.ts'

/** Zsh sets quotes itself. Both a script for `eval` and a file `_sluice` on `$fpath`. */
export const toZsh = (places: ReadonlyMap<string, CompletionPlace>): string => `#compdef sluice
# Completion of sluice for zsh.
${toFunctions(places)}
_sluice() {
  local next='' flags='' first='' more='' wants='' plain='' kind typed="\${(Q)PREFIX}"
  local -a address found
  _sluice_parse "\${(@Q)words[2,CURRENT-1]}"
  if [[ -z $plain && $typed == -* ]]; then next="$flags" wants=''; fi
  compadd -- \${=next}
  for kind in \${=wants}; do
    case "$kind" in
      files) _files ;;
      paths|directories)
        found=("\${(@f)$(sluice completion names $kind "\${address[@]}" -- "$typed" 2>/dev/null)}")
        found=("\${(@)found:#}")
        # A directory goes on, a file ends.
        _sluice_add '*/' -S ''
        _sluice_add '*[^/]' ;;
      *)
        found=("\${(@f)$(sluice completion names $kind "\${address[@]}" -- "$typed" 2>/dev/null)}")
        compadd -- "\${(@)found:#}" ;;
    esac
  done
}
_sluice_add() {
  local pattern="$1" word
  local -a some names
  shift
  for word in "\${found[@]}"; do
    [[ $word == \${~pattern} ]] || continue
    some+=("$word") names+=("\${\${word%/}##*/}\${(M)word%/}")
  done
  compadd -d names "$@" -- "\${some[@]}"
}
if [[ \${funcstack[1]} == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`
