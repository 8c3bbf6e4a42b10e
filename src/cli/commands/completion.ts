// pinyon completion: prints the script by which a shell asks this program how a line may go on.
import { EXIT_DONE, type Io, misuse, type ParsedWords } from '../command.ts';
import { COMPLETE } from '../line/complete.ts';

/** The words up to the cursor go to the program; candidates come back by line, and perhaps a wish for paths. */
const BASH = `# Completion of pinyon for bash; works without the package bash-completion.
_pinyon() {
  local IFS=$'\\n' line word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  for line in $("\${COMP_WORDS[0]}" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    case "$line" in
      :files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$word")) ;;
      :folders) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$word")) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done
}
complete -F _pinyon pinyon
`;

const ZSH = `#compdef pinyon
# Completion of pinyon for zsh.
_pinyon() {
  local line
  local -a described
  for line in "\${(@f)$("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      '') ;;
      :files) _files ;;
      :folders) _files -/ ;;
      *) described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( \${#described} )) && _describe pinyon described
}
if [ "\${funcstack[1]}" = _pinyon ]; then _pinyon "$@"; else compdef _pinyon pinyon; fi
`;

const FISH = `# Completion of pinyon for fish.
function __pinyon_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] ${COMPLETE} $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c pinyon -f -a '(__pinyon_complete)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export async function completion({ positionals: [shell = ''] }: ParsedWords, io: Io): Promise<number> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) throw misuse(`SHELL must be one of ${Object.keys(SCRIPTS).join(', ')}.`);
  io.out(script);
  return EXIT_DONE;
}
