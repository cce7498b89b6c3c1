# Completion of saltus for fish. Installed as vendor_completions.d/saltus.fish.
# The program itself lists the candidates: commands, options, names of the model, kinds of files.

function __saltus_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] help --complete -- $words[2..-1] 2>/dev/null)
        if string match -q ':files *' -- $line
            for pattern in (string split ' ' -- (string replace ':files ' '' -- $line))
                __fish_complete_suffix (string replace '*' '' -- $pattern)
            end
        else if test "$line" = :folders
            __fish_complete_directories (commandline -ct)
        else
            echo $line
        end
    end
end

complete -c saltus -f -a '(__saltus_complete)'
