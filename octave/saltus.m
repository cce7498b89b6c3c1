% SALTUS  Simulate a model and differentiate its costs.
%
%   answer = saltus (model)
%   answer = saltus (model, point, option, ...)
%       simulates at one point, a struct of parameters; those that it does not name have the values of
%       the script. The answer has parameters, costs.NAME.value, costs.NAME.gradient.PARAMETER, ended
%       (how), warnings, and error if it could not go on.
%   answers = saltus (model, points, option, ...)
%       points is a struct array, or a cell array of structs; so is the answer: a cell array.
%   [value, gradient] = saltus (model, names, x, cost, option, ...)
%       the value of a cost, and its derivatives, with the parameters called names{1}, names{2}, ...
%       equal to x: what fminunc, fsolve or sqp want. With a matrix x, each row is a point, and so are
%       the rows of value and gradient; NaN where there is no motion.
%
% Options are those of 'saltus gradient', as in saltus ("ball.lua", p, "--method", "direct", "--tol",
% "1e-6"). In Octave the program keeps running between calls, so that a model is compiled once; it
% starts again when the file changes. MATLAB starts it in each call. The program is found as saltus,
% or where the environment variable SALTUS says.
%
%   p.e = 0.7;
%   answer = saltus ("ball.lua", p);
%   answer.costs.height.value, answer.costs.height.gradient.e
%
% It is a layer over the lines of JSON of 'saltus gradient --jsonl --params -'.
function [first, second] = saltus (model, varargin)
  if nargin == 0
    error ('saltus:usage', 'a model is missing: write saltus ("ball.lua", point); ''help saltus'' has more');
  end
  if nargin >= 2 && iscellstr (varargin{1})
    [first, second] = at_vector (model, varargin{:});
    return;
  end
  points = struct ();
  options = {};
  if nargin >= 2 && (isstruct (varargin{1}) || iscell (varargin{1}) || isempty (varargin{1}))
    if ~isempty (varargin{1}), points = varargin{1}; end
    options = varargin(2:end);
  elseif nargin >= 2
    options = varargin;
  end
  check_words (model, options);
  if isstruct (points), points = num2cell (points(:)); end
  lines = cellfun (@point_line, points(:), 'UniformOutput', false);
  first = cellfun (@read_answer, ask (model, options, lines), 'UniformOutput', false);
  refuse_model (first);
  if numel (points) == 1
    first = first{1};
    refuse_point (first);
  end
end

function [value, gradient] = at_vector (model, names, x, cost, varargin)
  if nargin < 4 || ~ischar (cost)
    error ('saltus:usage', 'which cost? Write saltus (model, names, x, cost)');
  end
  if isvector (x) && numel (x) == numel (names), x = x(:).'; end
  if size (x, 2) ~= numel (names)
    error ('saltus:usage', 'x has %d columns for %d names', size (x, 2), numel (names));
  end
  count = size (x, 1);
  points = cell (count, 1);
  for i = 1:count
    points{i} = cell2struct (num2cell (x(i, :)).', names(:), 1);
  end
  answers = saltus (model, points, '--cost', cost, '--wrt', strjoin (names(:).', ','), varargin{:});
  if count == 1, answers = {answers}; end
  value = nan (count, 1);
  gradient = nan (count, numel (names));
  for i = 1:count
    if isfield (answers{i}, 'error') && count == 1
      error (['saltus:' answers{i}.error.status], '%s', answers{i}.error.message);
    elseif ~isfield (answers{i}, 'error')
      only = struct2cell (answers{i}.costs);
      value(i) = only{1}.value;
      by = only{1}.gradient; % in the order of the script
      for k = 1:numel (names)
        gradient(i, k) = by.(field_name (names{k}));
      end
    end
  end
end

% ---- lines -------------------------------------------------------------------------------------

function check_words (model, options)
  if ~ischar (model) || ~iscellstr (options)
    error ('saltus:usage', 'a model is the name of a file, and options are texts');
  end
  if exist (model, 'file') ~= 2
    error ('saltus:ERR_FILE', 'there is no file ''%s''', model);
  end
end

% jsonencode has 15 digits; the parameters of a point need all 17.
function line = point_line (point)
  if ~isstruct (point) || ~isscalar (point)
    error ('saltus:usage', 'a point is a struct of parameters');
  end
  names = fieldnames (point);
  words = cell (1, numel (names));
  for i = 1:numel (names)
    number = point.(names{i});
    if ~isnumeric (number) || ~isscalar (number) || ~isreal (number) || ~isfinite (number)
      error ('saltus:usage', 'the parameter ''%s'' must be a number', names{i});
    end
    words{i} = sprintf ('"%s": %.17g', names{i}, number);
  end
  line = ['{' strjoin(words, ', ') '}'];
end

% A field cannot be called end.
function answer = read_answer (line)
  answer = jsondecode (strrep (line, ',"end":', ',"ended":'));
end

% As jsondecode makes a name of a parameter that of a field.
function name = field_name (name)
  keys = fieldnames (jsondecode (['{"' name '": 1}']));
  name = keys{1};
end

% A model that is wrong is answered by one line, which has no number.
function refuse_model (answers)
  if isempty (answers)
    error ('saltus:failed', 'the program gave no answer: is ''saltus'' in the PATH, or named by SALTUS?');
  end
  e = answers{1};
  if isfield (e, 'error') && ~isfield (e, 'line')
    place = '';
    if ~isempty (e.error.file), place = sprintf ('%s:%d: ', e.error.file, e.error.line); end
    error (['saltus:' e.error.status], '%s%s', place, e.error.message);
  end
end

% So is a point that no motion could begin with, as one with a name that is none; a motion that could
% not go on has the reason in its answer.
function refuse_point (answer)
  if isfield (answer, 'error') && strcmp (answer.error.status, 'ERR_ARGUMENT')
    error ('saltus:ERR_ARGUMENT', '%s', answer.error.message);
  end
end

% ---- the program -------------------------------------------------------------------------------

function words = command_words (model, options)
  program = getenv ('SALTUS');
  if isempty (program), program = 'saltus'; end
  words = [{program, 'gradient', model, '--jsonl', '--params', '-'}, options(:).'];
end

% What the program says of failures is in its answers, too.
function line = shell_line (words)
  quoted = cellfun (@(w) ['''' strrep(w, '''', '''\''''') ''''], words, 'UniformOutput', false);
  line = [strjoin(quoted, ' ') ' 2> /dev/null'];
end

function replies = ask (model, options, lines)
  words = command_words (model, options);
  if exist ('OCTAVE_VERSION', 'builtin') && exist ('popen2')
    replies = ask_running (words, model, lines);
  else
    replies = ask_once (words, lines);
  end
end

% One process for all points of a call.
function replies = ask_once (words, lines)
  from = [tempname() '.jsonl'];
  file = fopen (from, 'w');
  fprintf (file, '%s\n', lines{:});
  fclose (file);
  [~, text] = system ([shell_line(words) ' < ''' from '''']);
  delete (from);
  replies = strsplit (strtrim (text), sprintf ('\n')).';
  if isempty (replies{1}), replies = {}; end
end

% A process that is there already, if there is one for these words and this version of the file.
function replies = ask_running (words, model, lines)
  persistent running
  if isempty (running), running = struct ('key', {}, 'in', {}, 'out', {}, 'pid', {}); end
  about = stat (model);
  key = [strjoin(words, sprintf ('\n')) sprintf('\n%d %d %s', about.mtime, about.size, pwd ())];
  place = find (strcmp (key, {running.key}));
  if isempty (place)
    if numel (running) >= 8 % the oldest one ends
      stop (running(1));
      running(1) = [];
    end
    [in, out, pid] = popen2 ('/bin/sh', {'-c', ['exec ' shell_line(words)]});
    running(end + 1) = struct ('key', key, 'in', in, 'out', out, 'pid', pid);
    place = numel (running);
  end
  one = running(place);
  replies = cell (0, 1);
  for i = 1:numel (lines)
    fputs (one.in, [lines{i} sprintf('\n')]);
    fflush (one.in);
    reply = read_line (one);
    if isempty (reply), break; end
    replies{end + 1, 1} = reply;
  end
  if isempty (reply) || isempty (strfind (reply(1:min (end, 8)), '"line"'))
    stop (one);
    running(place) = [];
  end
end

% The stream does not wait: what there is comes at once, and the rest of a line later. '': it ended.
function line = read_line (one)
  line = '';
  nap = 1e-4;
  while isempty (line) || line(end) ~= sprintf ('\n')
    part = fgets (one.out);
    if ischar (part)
      line = [line part];
      continue;
    end
    fclear (one.out);
    [pid, status] = waitpid (one.pid, WNOHANG ());
    if pid ~= 0 % it has ended, and may have said why before
      part = fgets (one.out);
      if ischar (part), line = [line part]; end
      return;
    end
    pause (nap);
    nap = min (2 * nap, 0.01);
  end
end

function stop (one)
  fclose (one.in);
  fclose (one.out);
  waitpid (one.pid, WNOHANG ());
end
