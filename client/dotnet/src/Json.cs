using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace LicenseKey
{
    /// <summary>
    /// An object of the JSON that the C library returns. This small reader keeps the package free of dependencies: netstandard2.0 has no
    /// JSON reader. It reads only what the library writes, so any other text is a fault.
    /// </summary>
    internal sealed class JsonObject
    {
        private readonly Dictionary<string, object?> members;

        private JsonObject(Dictionary<string, object?> members)
        {
            this.members = members;
        }

        internal IEnumerable<KeyValuePair<string, object?>> Members => members;

        /// <exception cref="InvalidOperationException">The text is not a JSON object.</exception>
        internal static JsonObject Parse(string json)
        {
            var reader = new Reader(json);
            return reader.Value() is JsonObject found && reader.IsAtEnd ? found : throw reader.Unexpected();
        }

        /// <summary>A text; the empty text if there is none.</summary>
        internal string Text(string name) => OptionalText(name) ?? "";

        internal string? OptionalText(string name) => Member(name) as string;

        internal long? Number(string name) => Member(name) as long?;

        internal bool Flag(string name) => Member(name) is bool flag && flag;

        internal JsonObject? Object(string name) => Member(name) as JsonObject;

        internal IEnumerable<object?> List(string name) => Member(name) as List<object?> ?? new List<object?>();

        internal DateTimeOffset? OptionalTime(string name) =>
            OptionalText(name) is string text ? DateTimeOffset.Parse(text, CultureInfo.InvariantCulture, DateTimeStyles.RoundtripKind) : (DateTimeOffset?)null;

        /// <exception cref="InvalidOperationException">There is no such time.</exception>
        internal DateTimeOffset Time(string name) => OptionalTime(name) ?? throw new InvalidOperationException("The native library returned no " + name + ".");

        private object? Member(string name) => members.TryGetValue(name, out var value) ? value : null;

        /// <summary>A text as JSON.</summary>
        internal static string Quoted(string text)
        {
            var quoted = new StringBuilder("\"");
            foreach (var character in text)
            {
                if (character < ' ' || character == '"' || character == '\\') quoted.Append("\\u").Append(((int)character).ToString("x4", CultureInfo.InvariantCulture));
                else quoted.Append(character);
            }
            return quoted.Append('"').ToString();
        }

        private sealed class Reader
        {
            private readonly string json;
            private int place;

            internal Reader(string json)
            {
                this.json = json;
            }

            internal bool IsAtEnd => Next() == '\0';

            internal InvalidOperationException Unexpected() => new InvalidOperationException("The native library returned no valid JSON.");

            internal object? Value()
            {
                switch (Next())
                {
                    case '{': return Object();
                    case '[': return Items(() => Value());
                    case '"': return Text();
                    default: return Word();
                }
            }

            private JsonObject Object()
            {
                var members = new Dictionary<string, object?>();
                Items(() =>
                {
                    if (Next() != '"') throw Unexpected();
                    var name = Text();
                    if (Next() != ':') throw Unexpected();
                    place += 1;
                    members[name] = Value();
                    return null;
                });
                return new JsonObject(members);
            }

            /// <summary>Reads what is between two brackets or braces, separated by commas.</summary>
            private List<object?> Items(Func<object?> item)
            {
                var end = json[place] == '{' ? '}' : ']';
                var items = new List<object?>();
                place += 1;
                for (var isFirst = true; Next() != end; isFirst = false)
                {
                    if (!isFirst && At(place++) != ',') throw Unexpected();
                    items.Add(item());
                }
                place += 1;
                return items;
            }

            private string Text()
            {
                var text = new StringBuilder();
                for (place += 1; At(place) != '"'; place += 1)
                {
                    if (json[place] != '\\')
                    {
                        text.Append(json[place]);
                        continue;
                    }
                    place += 1;
                    switch (At(place))
                    {
                        case 'b': text.Append('\b'); break;
                        case 'f': text.Append('\f'); break;
                        case 'n': text.Append('\n'); break;
                        case 'r': text.Append('\r'); break;
                        case 't': text.Append('\t'); break;
                        case 'u':
                            At(place + 4);
                            text.Append((char)int.Parse(json.Substring(place + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture));
                            place += 4;
                            break;
                        default: text.Append(json[place]); break;
                    }
                }
                place += 1;
                return text.ToString();
            }

            /// <summary>null, true, false or a number: a long if it is an integer, otherwise a double.</summary>
            private object? Word()
            {
                var start = place;
                while (place < json.Length && (char.IsLetterOrDigit(json[place]) || json[place] == '-' || json[place] == '+' || json[place] == '.')) place += 1;
                var word = json.Substring(start, place - start);
                if (word == "null") return null;
                if (word == "true" || word == "false") return word == "true";
                if (long.TryParse(word, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var integer)) return integer;
                return double.TryParse(word, NumberStyles.Float, CultureInfo.InvariantCulture, out var number) ? number : throw Unexpected();
            }

            /// <summary>The next character that is not white space; U+0000 at the end.</summary>
            private char Next()
            {
                while (place < json.Length && char.IsWhiteSpace(json[place])) place += 1;
                return place < json.Length ? json[place] : '\0';
            }

            private char At(int index) => index < json.Length ? json[index] : throw Unexpected();
        }
    }
}
