#!/usr/bin/env bash
# saltus.m in Octave: the numbers of the program, its errors, one process for many calls.
. "$(dirname "$0")/common.sh" "$@"

if ! command -v octave-cli > /dev/null; then
    echo "skipped: there is no octave (scripts/install-deps --tests)"
    [[ -z ${CI:-} ]] || { echo "in CI nothing is skipped"; exit 1; }
    exit 77
fi
export SALTUS=$saltus
octave() { octave-cli --norc --no-history --path "$source_dir/octave" --eval "$1"; }

cat > digits.m << 'OCTAVE'
p.h = 1.5; p.e = 0.7;
a = saltus ("ball.lua", p, "--method", "discrete");
printf ("%.17g %.17g %s\n", a.costs.area.value, a.costs.area.gradient.h, a.ended);
[value, gradient] = saltus ("ball.lua", {"e", "h"}, [0.7, 1.5], "area", "--method", "discrete");
printf ("%.17g %.17g %.17g\n", value, gradient);
answers = saltus ("ball.lua", struct ("h", {1, 1.5, 2}), "--set", "e=0.7");
printf ("%d %.17g\n", numel (answers), answers{2}.costs.area.value);
[value, gradient] = saltus ("ball.lua", {"h", "e"}, [1.5 0.7; 2 0.8; 1 0.01], "area");
printf ("%.17g %s %d %d\n", value(1), mat2str (isnan (value).'), size (gradient));
OCTAVE
run octave "source digits.m"
expect_status 0 "numbers"
expect_no_err "numbers"
run "$saltus" gradient ball.lua --set h=1.5 --set e=0.7 --method discrete --json
flatten out.txt > flat
area=$(printf %.17g "$(value_at flat costs.area.value)") by_h=$(printf %.17g "$(value_at flat costs.area.gradient.h)")
by_e=$(printf %.17g "$(value_at flat costs.area.gradient.e)")
run octave "source digits.m"
# Octave's own reader of JSON may be wrong in the last digit.
read -r value slope ended < out.txt
expect_near "$value" "$area" 1e-15 "a struct"
expect_near "$slope" "$by_h" 1e-15 "a struct, its slope"
expect_equal "$ended" horizon "how it ended"
read -r value slope other < <(sed -n 2p out.txt)
expect_near "$value" "$area" 1e-15 "names and a vector"
expect_near "$slope" "$by_e" 1e-15 "names and a vector, the first slope"
expect_near "$other" "$by_h" 1e-15 "names and a vector, the second slope"
read -r count value < <(sed -n 3p out.txt)
expect_equal "$count" 3 "several points"
expect_near "$value" "$area" 1e-15 "several points"
expect_equal "$(sed -n 4p out.txt | cut -d' ' -f2-)" "[false false true] 3 2" "rows of a matrix, one of which fails"

# The model is compiled once, and again when its file has changed.
cat > often.m << 'OCTAVE'
for i = 1:50, value = saltus ("mine.lua", {"h"}, 1 + 0.01 * i, "area"); end
[~, text] = system (sprintf ("pgrep -P %d -c saltus", getpid ()));
printf ("%s\n", strtrim (text));
before = value;
pause (1.1);
copyfile ("softer.lua", "mine.lua");
printf ("%d\n", saltus ("mine.lua", {"h"}, 1.5, "area") != before);
OCTAVE
cp ball.lua mine.lua
sed 's/restitution = e/restitution = 0.9 * e/' ball.lua > softer.lua
run octave "source often.m"
expect_equal "$(tr '\n' ' ' < out.txt)" "1 1 " "one process; a new one for a new file"

# Without pipes, as in MATLAB, it is the same.
mkdir matlab
sed "s/&& exist ('popen2')/\&\& false/" "$source_dir/octave/saltus.m" > matlab/saltus.m
run octave-cli --norc --no-history --path matlab --eval "source digits.m"
expect_equal "$(sed -n 4p out.txt | cut -d' ' -f2-)" "[false false true] 3 2" "a process for each call"

# Mistakes.
says() { # text, code
    run octave "try, $2; catch e, printf ('%s: %s', e.identifier, e.message); end"
    expect_out "$1" "$2"
}
printf 'model "x"\nnonsense(1)\n' > wrong.lua
says "saltus:ERR_MODEL: wrong.lua:2: 'nonsense' is not defined" "saltus ('wrong.lua')"
says "saltus:ERR_FILE: there is no file 'nix.lua'" "saltus ('nix.lua')"
says "saltus:ERR_ARGUMENT: --wrt 'hh': there is no such parameter; did you mean 'h'?" "saltus ('ball.lua', {'hh'}, 1, 'area')"
says "x has 2 columns for 1 names" "saltus ('ball.lua', {'h'}, [1 2; 3 4], 'area')"
says "the parameter 'h' must be a number" "saltus ('ball.lua', struct ('h', 'one'))"
says "which cost?" "saltus ('ball.lua', {'h'}, 1)"
says "saltus:usage: a model is missing" "saltus ()"
says "saltus:ERR_ARGUMENT: the model has no parameter 'hh'; did you mean 'h'?" "saltus ('ball.lua', struct ('hh', 1))"
run octave "a = saltus ('ball.lua', struct ('h', 1, 'e', 0.01)); disp (a.error.status)"
expect_out "ERR_UNFINISHED" "a motion that could not go on"
SALTUS=$folder/missing
says "is 'saltus' in the PATH" "saltus ('ball.lua')"

finish
