// The JSON that export_model() writes, for gpsieve_predict.h.
#ifndef GPSIEVE_PREDICT_JSON_H
#define GPSIEVE_PREDICT_JSON_H

#include <algorithm>
#include <cstddef>
#include <istream>
#include <limits>
#include <locale>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gpsieve_predict {

using Numbers = std::vector<double>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] inline void fail(const std::string& what) { throw std::runtime_error(what); }

// A value of JSON: numbers (one, or an array), a text, or items, which have names in an object.
struct Json {
  Numbers numbers;
  std::string text;
  std::vector<Json> items;
  std::vector<std::string> names;

  const Json* find(const std::string& name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? nullptr : &items[static_cast<std::size_t>(at - names.begin())];
  }
  const Json& at(const std::string& name) const {
    if (const Json* found = find(name)) return *found;
    fail("the model lacks '" + name + "'");
  }
  double number(const std::string& name) const {
    const Numbers& found = at(name).numbers;
    return found.size() == 1 ? found[0] : (fail("'" + name + "' must be one number"), kNaN);
  }
  std::vector<std::string> texts(const std::string& name) const {
    std::vector<std::string> out;
    for (const Json& item : at(name).items) out.push_back(item.text);
    return out;
  }
};

class Parser {
 public:
  // Numbers have a decimal point, whatever the locale of the program.
  explicit Parser(std::istream& in) : in_(in) { in_.imbue(std::locale::classic()); }
  Json value() {
    Json out;
    const int next = peek();
    if (next == '"') {
      out.text = text();
    } else if (next == '[' || next == '{') {
      const char close = next == '[' ? ']' : '}';
      for (in_.get(); peek() != close;) {
        if (next == '{') out.names.push_back((peek(), text())), expect(':');
        Json item = value();
        const bool number = next == '[' && item.numbers.size() == 1 && item.items.empty();
        if (number && !nested_)
          out.numbers.push_back(item.numbers[0]);
        else
          out.items.push_back(std::move(item));
        if (peek() == ',')
          in_.get();
        else if (peek() != close)
          fail("the model is no JSON: a comma is missing");
      }
      in_.get();
      nested_ = true;
      return out;
    } else {
      double x;
      if (!(in_ >> x)) fail("the model is no JSON, or incomplete");
      out.numbers = {x};
    }
    nested_ = false;
    return out;
  }

 private:
  int peek() { return (in_ >> std::ws).peek(); }
  void expect(char wanted) {
    if (peek() != wanted) fail(std::string("the model is no JSON: no ") + wanted);
    in_.get();
  }
  std::string text() {
    std::string out;
    expect('"');
    for (int c = in_.get(); c != '"'; c = in_.get()) {
      if (c == '\\' && (c = in_.get()) == 'u') {
        std::string digits(4, '0');
        c = in_.read(&digits[0], 4) ? std::stoi(digits, nullptr, 16) : -1;
        if (c > 127) fail("the model must have texts in UTF-8");
      }
      if (c < 0) fail("the model is incomplete");
      out += static_cast<char>(c);
    }
    return out;
  }

  std::istream& in_;
  bool nested_ = false;  // was the last value an array or an object?
};

}  // namespace gpsieve_predict

#endif
